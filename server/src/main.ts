/**
 * Starts the product: `node server/src/main.ts [all|api|worker]`. `all` (the default) is `api` and `worker` in one process,
 * with the embedded database and the sandbox for whatever is not configured. On SIGTERM, Ctrl-C, a closed terminal or the
 * end of npm the process drains for DRAIN_SECONDS, finishes what it has begun, and exits within 5 s.
 */
import { existsSync, readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import type { Life, Role } from './life.ts'
import { claimEmbeddedPostgres, startSandbox } from './local-services.ts'
import { endWithNpm } from './platform/end-with-npm.ts'
import { type Env, EnvError, readEnv, sandboxParts } from './platform/env.ts'
import { type Log, makeLog, reasonOf } from './platform/log.ts'
import { unknownVariables } from './platform/unknown-variables.ts'

const ROLES: readonly Role[] = ['all', 'api', 'worker']
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const EXIT_TIMEOUT_MS = 5000

/**
 * Starts what stands in for services that are not configured, and loads the rest of the product while those start: on a second start
 * that takes as long as they do.
 */
async function start(role: Role, env: Env, log: Log, life: Life): Promise<string> {
  const parts = role === 'all' ? sandboxParts(env) : []
  const openDatabase = await chooseDatabase(role, env, log, life)
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const outside = Promise.all([
    openDatabase(begun[0].resolve),
    parts.length > 0 ? startSandbox(env, parts, { log, life, onSpawn: begun[1].resolve }) : undefined,
  ])
  if (parts.length === 0) begun[1].resolve()
  // Loading holds this thread up, so it begins once both are processes, or one of them has failed.
  await Promise.race([Promise.all(begun.map(({ promise }) => promise)), outside])
  const [[databaseUrl, sandbox], { runProduct }] = await Promise.all([outside, import('./run-product.ts')])
  return runProduct({ role, env, log, life, parts, databaseUrl, sandbox })
}

/**
 * Takes the data directory where the embedded PostgreSQL is needed: before anything is started, so that a second product
 * on it starts nothing that is in the way of the first.
 * @returns how to open the database: it calls `onSpawn` once another process is at work, and answers the database's address
 */
async function chooseDatabase(
  role: Role,
  env: Env,
  log: Log,
  { closers, fail }: Life,
): Promise<(onSpawn: () => void) => Promise<string>> {
  const { DATABASE_URL: url } = env
  if (url)
    return async (onSpawn) => {
      onSpawn()
      return url
    }
  if (role !== 'all') throw new Error(`The role "${role}" needs DATABASE_URL.`)
  const startPostgres = await claimEmbeddedPostgres(env, log)
  return async (onSpawn) => {
    const postgres = await startPostgres(onSpawn)
    // Closed last, since everything else may still have something to write.
    closers.unshift({ what: 'the embedded PostgreSQL', close: () => postgres.stop() })
    postgres.lost.then(fail)
    return postgres.url
  }
}

/** Closes everything in the reverse order of opening. A closer that fails or hangs keeps neither the others nor the exit back. */
async function stop(closers: Life['closers'], log: Log): Promise<void> {
  let closing = ''
  const timer = setTimeout(() => {
    log.error({ waitsFor: closing }, 'stopping took too long')
    process.exit(1)
  }, EXIT_TIMEOUT_MS)
  timer.unref()
  for (const { what, close } of closers.splice(0).reverse()) {
    closing = what
    await close().catch((error: unknown) =>
      log.error({ what, reason: reasonOf(error) }, 'something did not close'),
    )
  }
}

async function main(): Promise<void> {
  const role = ROLES.find((known) => known === (process.argv[2] ?? 'all'))
  if (!role) throw new Error(`Unknown role "${process.argv[2]}": one of ${ROLES.join(', ')}.`)
  const inFile = existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : []
  if (inFile.length > 0) process.loadEnvFile('.env')
  const env = readEnv(process.env)
  const log = makeLog(env.LOG_LEVEL, env.NODE_ENV !== 'production')
  for (const variable of unknownVariables(Object.keys(process.env), inFile))
    log.warn(`nothing reads the variable ${variable}: .env.example has all that there are`)
  const closers: Life['closers'] = []
  const draining = new AbortController()
  let stopping: Promise<void> | null = null
  const end = (code: number) => {
    stopping ??= stop(closers, log).then(() => process.exit(code))
    return stopping
  }
  /** A balancer needs some seconds to notice that this process wants no new callers. */
  const drain = async () => {
    if (draining.signal.aborted) return
    draining.abort()
    if (role !== 'worker') await pause(env.DRAIN_SECONDS * 1000)
    await end(0)
  }
  const fail = (error: unknown) => {
    if (!stopping) process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return end(1)
  }
  for (const signal of SIGNALS) process.on(signal, drain)
  endWithNpm(drain)
  // Writing to a closed terminal fails; without a listener that would end the process before it has closed everything.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    const message = await start(role, env, log, { draining: draining.signal, closers, fail })
    process.stdout.write(`${message}\n`)
    // Else compiled code is stored at the end alone: after a kill the next start would compile everything again.
    flushCompileCache()
  } catch (error) {
    await fail(error)
  }
}

try {
  await main()
} catch (error) {
  const faults = error instanceof EnvError ? `The environment is not right:\n${error.message}` : String(error)
  process.stderr.write(`${faults}\n`)
  process.exit(1)
}
