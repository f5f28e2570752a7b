import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseClient } from '../platform/database/database-client.ts'
import type { Log } from '../platform/log.ts'
import { waitFor } from '../platform/wait-for.ts'
import { type DataDirOwner, ownDataDir } from './data-dir-owner.ts'
import { freePort } from './free-port.ts'
import { type GuardedProcess, startGuarded } from './guarded-process.ts'
import { clearLeftovers, readPidFile } from './postgres-leftovers.ts'
import { DATABASE_USER, type PostgresPlace, preparePlace } from './postgres-place.ts'

/** PostgreSQL from the npm package, for development, trials and tests; in production DATABASE_URL names a real one. */
export type EmbeddedPostgres = {
  url: string
  /** Resolves when the server has died and could not be started again; never otherwise. */
  lost: Promise<Error>
  stop(): Promise<void>
}

const POLL_MS = 40

/** A lock file or memory that children of the last server still hold. They are about to end; a busy machine may take long for it. */
const LEFT_BEHIND = /lock file|shared memory/

/** A port that somebody took meanwhile, and may give back. */
const PORT_TAKEN = /TCP\/IP sockets/

const PORT_TRIES = 15

const LONGEST_PAUSE_MS = 1000

/** A shell's exit code for a program that a signal ended is this and the signal's number. */
const SIGNALLED = 128

/** For one look; a caller that waits for a start looks again and again. */
const LOOK_TIMEOUT_MS = 30_000

/**
 * Starts the bundled PostgreSQL on a free loopback port, ends it when this process ends, however that happens, and starts
 * it again on the same port when it dies.
 * @param options.dataDir folder of the cluster's parent; made if missing
 * @throws when another Tradepost has this data directory, or when the server cannot be started
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: Log
}): Promise<EmbeddedPostgres> {
  return startOwnedPostgres(await ownDataDir(options.dataDir), options.log)
}

/**
 * The same for a caller that owns the data directory already. Stopping, and a failed start, releases it.
 * @param options.reserved ports that the rest of the product takes later, free as they are now
 * @param options.onSpawn is called once another process works at it: the server, or the one that makes its folder first
 */
export async function startOwnedPostgres(
  owner: DataDirOwner,
  log: Log,
  { onSpawn = () => undefined, reserved = [] }: { reserved?: readonly number[]; onSpawn?: () => void } = {},
): Promise<EmbeddedPostgres> {
  try {
    const place = preparePlace(owner.dataDir)
    await waitFor(
      log,
      'PostgreSQL, which makes its folder: this machine may be busy',
      initialiseCluster(place, log, onSpawn),
    )
    const course: Course = { place, log, reserved, onSpawn, stopping: false }
    return keepRunning(course, await start(course, null), owner)
  } catch (error) {
    owner.release()
    throw error
  }
}

/** The address of the server that a running Tradepost keeps in this data directory, or null. */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const place = preparePlace(resolve(dataDir))
  const port = readPidFile(place)?.port
  if (!port || !existsSync(place.passwordFile)) return null
  const url = serverUrl(place, port)
  return (await answers(url)) ? url : null
}

type Course = {
  place: PostgresPlace
  log: Log
  reserved: readonly number[]
  onSpawn: () => void
  stopping: boolean
}

type Server = { url: string; port: number; process: GuardedProcess }

function keepRunning(course: Course, first: Server, owner: DataDirOwner): EmbeddedPostgres {
  let server = first
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>()
  const keep = async () => {
    for (;;) {
      const { code, output } = await server.process.ended
      if (course.stopping && !wasKilled(code)) return
      course.log.warn({ exit: code, said: withoutData(output) }, 'PostgreSQL has ended unexpectedly')
      if (course.stopping) return
      server = await start(course, server.port)
      course.log.warn('PostgreSQL is running again')
      if (course.stopping) await server.process.end()
    }
  }
  const kept = keep().catch((error: Error) => {
    if (!course.stopping) lose(error)
  })
  return {
    url: first.url,
    lost,
    async stop() {
      course.stopping = true
      await server.process.end()
      await kept
      owner.release()
    },
  }
}

/** Its last lines about the server itself: errors of statements and their details quote what people have written. */
function withoutData(output: string): string {
  return output
    .split('\n')
    .filter((line) => /\b(?:LOG|FATAL|PANIC): /.test(line))
    .join('\n')
}

/**
 * Whether a foreign signal ended it; on our signals it exits by itself. Such an end is often why the product stops, so it is reported
 * first.
 */
function wasKilled(code: number | null): boolean {
  return code !== null && code > SIGNALLED
}

/**
 * Waits while the server lives, however slow the machine is: after a crash it reads its log first.
 * @param port to listen on, or null for a free one
 * @throws when it ends instead, with its last words
 */
function start(course: Course, port: number | null): Promise<Server> {
  return waitFor(course.log, 'PostgreSQL: this machine may be busy', startInTime(course, port))
}

async function startInTime(course: Course, port: number | null): Promise<Server> {
  for (let tries = 1; ; tries += 1) {
    await clearLeftovers(course.place, course.log)
    const attempt = await launch(course, port ?? (await freePort(course.reserved)))
    if (typeof attempt !== 'string') return attempt
    const mayPass = LEFT_BEHIND.test(attempt) || (PORT_TAKEN.test(attempt) && tries < PORT_TRIES)
    if (!mayPass || course.stopping) throw new Error(`PostgreSQL did not start: ${attempt}`)
    await pause(Math.min(POLL_MS * tries, LONGEST_PAUSE_MS))
  }
}

/** @returns the running server, or what it printed before it ended */
async function launch(course: Course, port: number): Promise<Server | string> {
  const { place, log } = course
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=100',
    // The longest time-out that PostgreSQL allows: a client that is authenticating while a busy machine stands still is not refused.
    'authentication_timeout=600',
    // A commit writes what it needs itself; these two would wake up five times a second for ten seconds behind each.
    'wal_writer_delay=10s',
    'bgwriter_delay=10s',
  ]
  const { command, args } = place.bin('postgres')
  const flags = ['-D', place.cluster, ...settings.flatMap((setting) => ['-c', setting])]
  const process = startGuarded(
    { command, args: [...args, ...flags] },
    {
      as: place.as,
      log: log.child({ postgres: true }),
    },
  )
  course.onSpawn()
  const url = serverUrl(place, port)
  let running = true
  process.ended.then(() => {
    running = false
  })
  while (running && !course.stopping) {
    if (await answers(url)) return { url, port, process }
    await Promise.race([process.ended, pause(POLL_MS)])
  }
  if (running) await process.end()
  return (await process.ended).output
}

/** Whether a server takes a connection and answers. */
export async function answers(url: string): Promise<boolean> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: LOOK_TIMEOUT_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function serverUrl(place: PostgresPlace, port: number): string {
  const password = readFileSync(place.passwordFile, 'utf8').trim()
  return `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/postgres`
}

/**
 * Makes the cluster unless it is there.
 * @param onSpawn is called once initdb runs
 * @throws with what initdb printed when it cannot be made
 */
async function initialiseCluster(place: PostgresPlace, log: Log, onSpawn: () => void): Promise<void> {
  if (existsSync(join(place.cluster, 'PG_VERSION'))) return
  if (!existsSync(place.passwordFile)) {
    writeFileSync(place.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
    if (place.as) chownSync(place.passwordFile, place.as.uid, place.as.gid)
  }
  // Made beside and moved into place, so that a start killed half-way leaves nothing half-made; under a new name, since
  // the initdb of a killed start may still be about to tidy up its own.
  const fresh = freshFolder(place)
  const { command, args } = place.bin('initdb')
  const flags = [
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--auth-host=scram-sha-256',
    `--username=${DATABASE_USER}`,
  ]
  const initdb = startGuarded(
    { command, args: [...args, ...flags, `--pwfile=${place.passwordFile}`, '-D', fresh] },
    { as: place.as, log: log.child({ initdb: true }) },
  )
  onSpawn()
  const { code, output } = await initdb.ended
  if (code !== 0) throw new Error(`PostgreSQL could not be set up: ${output}`)
  renameSync(fresh, place.cluster)
}

function freshFolder(place: PostgresPlace): string {
  const parent = dirname(place.cluster)
  const prefix = `${basename(place.cluster)}.new-`
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true })
  }
  const fresh = mkdtempSync(join(parent, prefix))
  if (place.as) chownSync(fresh, place.as.uid, place.as.gid)
  return fresh
}
