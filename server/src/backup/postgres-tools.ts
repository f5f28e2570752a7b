import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectionEnvironment } from './connection-environment.ts'

/** PostgreSQL's own programs, which no package of npm brings. */
export type Tool = 'pg_dump' | 'pg_restore' | 'pg_basebackup' | 'pg_verifybackup'

/** Where they are and which database they are for. */
export type Tools = {
  /** Folder of the programs; null for those in PATH. */
  folder: string | null
  databaseUrl: string
}

const run = promisify(execFile)

/** A backup of any size is done by then; a program that hangs is ended. */
const LONGEST_RUN_MS = 24 * 3_600_000
/** The list of what a backup holds is a line for each table, index and rule. */
const MOST_OUTPUT_BYTES = 64 << 20
const LINES_QUOTED = 5
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs one of PostgreSQL's programs. The way to the database, password included, is in its environment, which other users of the
 * machine cannot read; arguments they can.
 * @param args without any secret
 * @returns what it printed
 * @throws when it is not there, naming what to install; when it fails, with its last words; after a day; when this process gets a
 *   signal to end
 */
export async function runTool(tools: Tools, tool: Tool, args: string[]): Promise<string> {
  const command = tools.folder === null ? tool : join(tools.folder, tool)
  // The program ends with us, and we tidy up behind it.
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  for (const signal of INTERRUPTIONS) process.on(signal, interrupt)
  try {
    const { stdout } = await run(command, args, {
      env: {
        PATH: process.env.PATH,
        LC_ALL: 'C',
        PGCONNECT_TIMEOUT: '10',
        ...connectionEnvironment(tools.databaseUrl),
      },
      maxBuffer: MOST_OUTPUT_BYTES,
      signal: interrupted.signal,
      timeout: LONGEST_RUN_MS,
    })
    return stdout
  } catch (error) {
    throw interrupted.signal.aborted ? new Error(`${tool} was interrupted.`) : explained(error, tool, tools)
  } finally {
    for (const signal of INTERRUPTIONS) process.off(signal, interrupt)
  }
}

function explained(error: unknown, tool: Tool, { folder }: Tools): Error {
  const { code, killed, stderr } = error as { code?: unknown; killed?: boolean; stderr?: string }
  if (code === 'ENOENT' || code === 'EACCES') {
    const where = folder === null ? 'in PATH' : `in PG_BIN, which is ${folder}`
    return new Error(
      `There is no ${tool} ${where}. It comes with PostgreSQL's client programs, in the version of the server: on Debian and Ubuntu the package postgresql-client-<version>, on Alpine postgresql<version>-client, with Homebrew libpq. Install it, or set PG_BIN to its folder.`,
    )
  }
  const words = (stderr ?? '').trim().split('\n').slice(-LINES_QUOTED).join('\n')
  return new Error(killed ? `${tool} was ended after a day.` : `${tool} failed:\n${words}`)
}

/**
 * Holds a program to the server's version: an older one does not know what a newer server holds.
 * @param server major version of the server
 * @param fits `same` where it has to be the very version, since it reads the server's files
 * @throws when it does not fit, or is not there
 */
export async function requireVersion(
  tools: Tools,
  tool: Tool,
  server: number,
  fits: 'same' | 'same or newer',
): Promise<void> {
  const printed = await runTool(tools, tool, ['--version'])
  const version = Number(/\b(\d+)(?:\.|\w)/.exec(printed)?.[1])
  if (fits === 'same' ? version === server : version >= server) return
  throw new Error(
    `${tool} is of version ${version} and the server of version ${server}: install the client programs of version ${server}, or set PG_BIN to their folder.`,
  )
}
