import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Env, webhookSecrets } from '../platform/env.ts'
import type { Log } from '../platform/log.ts'
import type { SandboxAddress } from '../platform/settings.ts'

const MAIN = join(import.meta.dirname, '../../../sandbox/src/main.ts')
const READY_TIMEOUT_MS = 15_000
const STOP_TIMEOUT_MS = 3000

export type SandboxProcess = { address: SandboxAddress; stop(): Promise<void> }

/**
 * Starts the sandbox as a separate process, as far from the product as the services it stands for. It ends when the
 * pipe to it closes, so it cannot outlive a killed parent.
 * @throws when it does not say that it is ready, with what it said instead
 */
export async function startSandboxProcess(env: Env, parts: string[], log: Log): Promise<SandboxProcess> {
  const secrets = webhookSecrets(env)
  const child = spawn(process.execPath, [MAIN], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      SANDBOX_PORT: String(env.SANDBOX_PORT),
      SANDBOX_SMTP_PORT: String(env.SANDBOX_SMTP_PORT),
      SANDBOX_PARTS: parts.join(','),
      DATA_DIR: env.DATA_DIR,
      STRIPE_WEBHOOK_SECRET: secrets.webhookSecrets[0],
      STRIPE_ACCOUNTS_WEBHOOK_SECRET: secrets.accountsWebhookSecrets[0],
      ...(env.CLOCK_FILE && { CLOCK_FILE: env.CLOCK_FILE }),
    },
  })
  const said: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.push(text.trim())
    log.debug({ sandbox: true }, text.trim())
  })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const address = await new Promise<SandboxAddress>((resolve, reject) => {
    const fail = () => reject(new Error(`The sandbox did not start: ${said.join(' ') || 'it said nothing'}`))
    const timer = setTimeout(fail, READY_TIMEOUT_MS)
    ended.then(fail)
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer)
      const { url, smtpPort, imapPort } = JSON.parse(line) as {
        url: string
        smtpPort: number
        imapPort: number | null
      }
      // People click these addresses: localhost reads better and is its own secure context.
      resolve({ url: url.replace('127.0.0.1', 'localhost'), smtpPort, imapPort })
    })
  })
  return {
    address,
    async stop() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
