import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../test/database/database.ts'
import { readEnv } from '../platform/env.ts'
import { startSandboxProcess } from './sandbox-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-sandbox-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))

const environment = (ports: Record<string, string> = {}) =>
  readEnv({ DATA_DIR: dataDir, SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0', ...ports })

/** Of the sandboxes of this process, the one that was started last. */
function sandboxPid(): number {
  const flags = ['-n', '-P', String(process.pid), '-f', 'sandbox/src/main.ts']
  return Number(execFileSync('pgrep', flags, { encoding: 'utf8' }))
}

/** A start that stands still before it is over, and the first words of its log. */
async function startAndStop() {
  for (;;) {
    const logged = Promise.withResolvers<string>()
    const log = pino({}, { write: (line: string) => logged.resolve(JSON.parse(line).msg) })
    const starting = startSandboxProcess(environment(), ['mail'], log)
    const pid = sandboxPid()
    process.kill(pid, 'SIGSTOP')
    const first = await Promise.race([logged.promise, starting])
    if (typeof first === 'string') return { first, pid, starting }
    // On a busy machine it may be ready before it has been found.
    process.kill(pid, 'SIGCONT')
    await first.stop()
  }
}

test('a sandbox that stands still at its start is waited for, and the log names it meanwhile', async () => {
  const { first, pid, starting } = await startAndStop()
  expect(first).toBe('still waiting for the sandbox: this machine may be busy')
  process.kill(pid, 'SIGCONT')
  const sandbox = await starting
  expect((await fetch(`${sandbox.address.url}/mail`)).status).toBe(200)
  await sandbox.stop()
})

test('a sandbox that ends at its start is reported with its last words, and one that ends later too', async () => {
  const first = await startSandboxProcess(environment(), ['mail'], silentLog)
  const pid = sandboxPid()
  const { port } = new URL(first.address.url)
  const second = startSandboxProcess(environment({ SANDBOX_PORT: port }), ['mail'], silentLog)
  await expect(second).rejects.toThrow(/^The sandbox did not start: it ended with exit code 1: .*EADDRINUSE/)
  process.kill(pid, 'SIGKILL')
  expect((await first.lost).message).toMatch(/^The sandbox ended with SIGKILL: /)
})
