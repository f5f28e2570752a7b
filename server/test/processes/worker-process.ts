import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testDataDir } from '../database/data-dir.ts'
import { nodeEnvironment } from './node-environment.ts'

/** A worker as it runs in production: a separate process, which can be killed. */
export type WorkerProcess = {
  pid: number
  /** SIGKILL: it cannot handle it. */
  kill(): Promise<void>
  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
  /** Largest resident memory so far, in MB. */
  peakMemory(): number
  /** Processor time so far, its own and the system's for it. */
  usedCpuMs(): number
}

/** As docs/operations.md has them for a worker. */
const START_FLAGS = ['--max-semi-space-size=8']
const MAIN = join(import.meta.dirname, '../../src/main.ts')

/** Resolves when it logs that it runs. @throws with what it printed when it ends before */
export async function startWorkerProcess(target: {
  databaseUrl: string
  /** Past the pooler that is at the other address; there is none unless given. */
  directUrl?: string
  /** Of its host, the one of this test unless given. */
  dataDir?: string
  smtpUrl: string
  connections: number
  clockFile?: string
  /** The address to which its mails are reported, none unless given. */
  bounceAddress?: string
  /** The mailbox in which reports of its mails arrive, none unless given. */
  bounceImapUrl?: string
  /** The port on which it exposes its figures, none unless given. */
  metricsPort?: number
  /** Certificates to trust beside the usual ones, PEM. */
  trustFile?: string
  /** Of a copy of the product; its own unless given. */
  main?: string
  /** Of Node, beside those of production. */
  flags?: string[]
}): Promise<WorkerProcess> {
  const child = spawn(
    process.execPath,
    [...START_FLAGS, ...(target.flags ?? []), target.main ?? MAIN, 'worker'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...nodeEnvironment,
        DATABASE_URL: target.databaseUrl,
        ...(target.directUrl && { DATABASE_DIRECT_URL: target.directUrl }),
        DATA_DIR: target.dataDir ?? testDataDir,
        SMTP_URL: target.smtpUrl,
        SMTP_CONNECTIONS: String(target.connections),
        AUTH_SECRET: 'a secret of the tests and of nobody else',
        QUOTES_API_BASE: 'http://127.0.0.1:9',
        QUOTES_API_KEY: 'unused',
        PUSH_LOOPBACK: 'on',
        LOG_LEVEL: 'error',
        ...(target.metricsPort !== undefined && { METRICS_PORT: String(target.metricsPort) }),
        ...(target.bounceAddress && { BOUNCE_ADDRESS: target.bounceAddress }),
        ...(target.bounceImapUrl && { BOUNCE_IMAP_URL: target.bounceImapUrl }),
        ...(target.clockFile && { CLOCK_FILE: target.clockFile }),
        ...(target.trustFile && { NODE_EXTRA_CA_CERTS: target.trustFile }),
      },
    },
  )
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const printed: string[] = []
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.push(text)
      if (text.includes('worker is running')) resolve()
    })
    ended.then((code) =>
      reject(new Error(`The worker did not start: ${printed.join('')} (exit code ${code})`)),
    )
  })
  const pid = child.pid ?? 0
  return {
    pid,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      return ended
    },
    peakMemory: () => peakMemoryOf(pid),
    usedCpuMs: () => usedCpuMsOf(pid),
  }
}

/** Largest resident memory of a process so far, in MB. */
export function peakMemoryOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

/** Processor time of a process so far, its own and the system's for it. */
export function usedCpuMsOf(pid: number): number {
  // Fields 14 and 15 of proc(5), behind a name in brackets that may hold blanks; a tick is 10 ms.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return 10 * (Number(fields[11]) + Number(fields[12]))
}
