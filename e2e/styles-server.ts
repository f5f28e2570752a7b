import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../server/src/dev/free-port.ts'
import type { Product } from './product.ts'

const root = join(import.meta.dirname, '..')
const READY_TIMEOUT_MS = 500_000

/** The development server of the web app, which alone has /styles. */
export type StylesServer = { url: string; stop(): Promise<void> }

/** Starts Vite as `npm run dev` does. @throws when /styles is not there, however slow the machine */
export async function startStylesServer(product: Product): Promise<StylesServer> {
  const port = String(await freePort())
  const vite = join(root, 'node_modules/.bin/vite')
  const child = spawn(vite, ['web', '--port', port, '--strictPort'], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, API_URL: product.url },
  })
  const url = `http://localhost:${port}/styles`
  await untilServed(child, url)
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function untilServed(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null) {
    const page = await fetch(url).catch(() => null)
    if (page?.ok && (await page.text()).includes('styles-page.tsx')) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill('SIGTERM')
  throw new Error(`The development server does not serve ${url}`)
}
