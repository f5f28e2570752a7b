import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../server/src/dev/free-port.ts'
import { nodeEnvironment } from '../../server/test/processes/node-environment.ts'

const ROOT = join(import.meta.dirname, '../..')
const POLL_MS = 30
/** No start takes so long, however busy the machine is. */
const PATIENCE_MS = 240_000

const run = promisify(execFile)

/** A part of a product that can be stopped or killed: itself, and the processes that it starts. */
export type Part = 'product' | 'PostgreSQL' | 'initdb' | 'sandbox'

const COMMANDS: Record<Part, RegExp> = {
  product: /server\/dist\/main\.js/,
  PostgreSQL: /\/postgres |^postgres: /,
  initdb: /\/initdb |\/postgres --(boot|single)/,
  sandbox: /sandbox\/dist\/main\.js/,
}

/** An `npm start` with its own data directory and ports, which logs at every level. */
export type ProductStart = {
  /** All of its output so far. */
  output(): string
  /** Of `performance.now()`; null while it runs. */
  endedAt(): number | null
  /** Process ids, the first process of the part in front. */
  find(part: Part): Promise<number[]>
  /** Whether it takes requests and its worker lives. */
  isReady(): Promise<boolean>
  /** @throws with its words when that does not come true, or it ends before */
  until(comesTrue: () => boolean | Promise<boolean>): Promise<void>
  /** Resolves when it has ended by itself, or does not in time. */
  whenEnded(): Promise<void>
  exitCode(): number | null
  /** Ends it with everything that it started. */
  stop(): Promise<void>
}

/** @param dataDir a folder; a first start where it is empty */
export async function startProduct(dataDir: string): Promise<ProductStart> {
  const [port, sandboxPort, smtpPort] = await Promise.all([freePort(), freePort(), freePort()])
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...nodeEnvironment,
      DATA_DIR: dataDir,
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      SANDBOX_SMTP_PORT: String(smtpPort),
      LOG_LEVEL: 'debug',
    },
  })
  const ended = once(npm, 'close')
  let endedAt: number | null = null
  npm.once('exit', () => {
    endedAt = performance.now()
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const until = async (comesTrue: () => boolean | Promise<boolean>) => {
    const end = performance.now() + PATIENCE_MS
    while (!(await comesTrue())) {
      if (endedAt !== null || performance.now() > end)
        throw new Error(`It did not come so far. It said:\n${output}`)
      await pause(POLL_MS)
    }
  }
  return {
    output: () => output,
    endedAt: () => endedAt,
    find: (part) => findProcesses(npm.pid ?? 0, part),
    isReady: () => isReady(port),
    until,
    async whenEnded() {
      await Promise.race([ended, pause(PATIENCE_MS, undefined, { ref: false })])
    },
    exitCode: () => npm.exitCode,
    async stop() {
      if (endedAt === null) npm.kill('SIGTERM')
      await ended
    },
  }
}

/** Runs `work` with a new, empty data directory, which is removed afterwards. */
export async function inDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-starts-'))
  try {
    return await work(join(folder, 'data'))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs `work` beside processes that use all that they get of the processors. */
export async function besideBusyLoops<T>(count: number, work: () => Promise<T>): Promise<T> {
  const code = `const end = Date.now() + ${PATIENCE_MS}; while (Date.now() < end);`
  const loops = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', code], { stdio: 'ignore' }),
  )
  try {
    return await work()
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
  }
}

type Process = { pid: number; parent: number; command: string }

async function findProcesses(root: number, part: Part): Promise<number[]> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,args='])
  const all = stdout.split('\n').flatMap((line): Process[] => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return command ? [{ pid: Number(pid), parent: Number(parent), command }] : []
  })
  // A shell that starts or guards a program has its name among its words.
  const isPart = ({ command }: Process) => COMMANDS[part].test(command) && !/^(sh|npm|env) /.test(command)
  return below(all, root)
    .filter(isPart)
    .map(({ pid }) => pid)
}

/** All that a process has started, itself or by another one: parents first. */
function below(all: Process[], root: number): Process[] {
  const children = all.filter(({ parent }) => parent === root)
  return [...children, ...children.flatMap(({ pid }) => below(all, pid))]
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )
}
