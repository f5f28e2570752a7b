import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type Env, webhookSecrets } from '../platform/env.ts'
import type { Log } from '../platform/log.ts'
import type { SandboxAddress } from '../platform/make-settings.ts'
import { waitFor } from '../platform/wait-for.ts'

const MAIN = join(import.meta.dirname, '../../../sandbox/src/main.ts')
const STOP_TIMEOUT_MS = 3000

export type SandboxProcess = {
  address: SandboxAddress
  /** Resolves when it has ended without being stopped, with its last words; never otherwise. */
  lost: Promise<Error>
  stop(): Promise<void>
}

/** How many of its last lines are repeated when it ends. */
const LINES_KEPT = 10

/**
 * Starts the sandbox as a separate process, as far from the product as the services it stands for. It ends when the
 * pipe to it closes, so it cannot outlive a killed parent. Waits while it lives, however slow the machine is.
 * @throws when it ends before it is ready, with its last words
 */
export async function startSandboxProcess(env: Env, parts: string[], log: Log): Promise<SandboxProcess> {
  const secrets = webhookSecrets(env)
  const child = spawn(process.execPath, [MAIN], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
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
  let lastLines: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    lastLines = [...lastLines, ...lines].slice(-LINES_KEPT)
    for (const line of lines) log.debug({ sandbox: true }, line)
  })
  const lastWords = () => lastLines.join(' ') || 'it said nothing'
  const ended = new Promise<string>((resolve) => {
    child.on('close', (code, signal) =>
      resolve(`ended with ${signal ?? `exit code ${code}`}: ${lastWords()}`),
    )
    child.on('error', (error) => resolve(error.message))
  })
  const endedInstead = ended.then((end) => {
    throw new Error(`The sandbox did not start: it ${end}`)
  })
  const address = await waitFor(
    log,
    'the sandbox: this machine may be busy',
    Promise.race([readAddress(child.stdout), endedInstead]),
  )
  endedInstead.catch(() => undefined)
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>()
  let stopping = false
  void ended.then((end) => {
    if (!stopping) lose(new Error(`The sandbox ${end}`))
  })
  return {
    address,
    lost,
    async stop() {
      stopping = true
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Reads the address from the line that reports that it is ready. */
async function readAddress(output: Readable): Promise<SandboxAddress> {
  const [line] = (await once(createInterface({ input: output }), 'line')) as [string]
  const { url, smtpPort, imapPort } = JSON.parse(line) as {
    url: string
    smtpPort: number
    imapPort: number | null
  }
  // People click these addresses: localhost reads better and is its own secure context.
  return { url: url.replace('127.0.0.1', 'localhost'), smtpPort, imapPort }
}
