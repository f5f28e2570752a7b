import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

function start(env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env.PATH, SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0', ...env },
  })
}

async function ready(child: ChildProcessWithoutNullStreams) {
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return JSON.parse(line) as { ready: boolean; url: string; smtpPort: number }
}

test('the sandbox prints its address in one line, and ends when its parent closes the pipe', async () => {
  const child = start()
  const printed = await ready(child)
  expect(printed).toEqual({
    ready: true,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    smtpPort: expect.any(Number),
    imapPort: expect.any(Number),
  })
  expect((await fetch(printed.url)).status).toBe(200)
  // Somebody who stays connected must not keep it alive.
  const idle = connect(printed.smtpPort, '127.0.0.1')
  idle.on('error', () => {})
  await once(idle, 'data')
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the sandbox ends on SIGTERM', async () => {
  const child = start({ SANDBOX_PARTS: 'market' })
  await ready(child)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the sandbox refuses to be reachable from elsewhere', async () => {
  const child = start({ HOST: '0.0.0.0', SANDBOX_PORT: 'x' })
  const printed = once(child.stderr.setEncoding('utf8'), 'data')
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(String(await printed)).toMatch(/HOST must be a loopback address.*\nSANDBOX_PORT must be a port/)
})
