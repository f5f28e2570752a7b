/**
 * `npm run dev`: the same product with reload on change. The server restarts when a file it imports changes; the browser
 * talks to Vite, which hands calls on to the server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const API_PORT = process.env.PORT ?? '3000'
const WEB_PORT = '5173'

function start(command: string, args: string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...environment },
  })
}

const children = [
  start(process.execPath, ['--watch', '--watch-preserve-output', 'server/src/main.ts'], {
    PORT: API_PORT,
    APP_URL: `http://localhost:${WEB_PORT}`,
  }),
  start(process.execPath, ['--watch-path=emails/src', 'scripts/build-emails.ts']),
  start(join(bin, 'vite'), ['web', '--port', WEB_PORT, '--strictPort'], {
    API_URL: `http://localhost:${API_PORT}`,
  }),
]
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
  })
}
