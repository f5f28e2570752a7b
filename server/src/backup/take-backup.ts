import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import type { Queryable } from '../platform/database/queryable.ts'
import { isDistributed } from '../platform/distribution/distributed-tables.ts'
import { countWaitingMails, deleteBackup, findServerVersion, insertBackup } from './backups.queries.ts'
import { requireVersion, runTool, type Tools } from './postgres-tools.ts'

type Deps = { db: Queryable; tools: Tools }

/** Stands in the list of every backup that `takeBackup` made. */
export const OWN_ROWS = /TABLE DATA public backups /

/**
 * Backs the whole database up into one file, from one snapshot, while the product runs (ADR 0067). The file has its name once
 * it is whole and was read to its end; only its owner may read it.
 * @param file a new one
 * @returns what was done, as a sentence
 * @throws when the database is distributed over nodes, when there is such a file, when a program is missing, too old or fails; then nothing
 *   is left of it
 */
export async function takeBackup({ db, tools }: Deps, file: string, now: Date): Promise<string> {
  await requireOneServer(db)
  const server = await findServerVersion(db)
  await requireVersion(tools, 'pg_dump', server, 'same or newer')
  await requireVersion(tools, 'pg_restore', server, 'same or newer')
  const waiting = await countWaitingMails(db)
  await make(db, file, now, async (part) => {
    closeSync(openSync(part, 'wx', 0o600))
    await runTool(tools, 'pg_dump', [
      '--no-password',
      '--format=custom',
      '--no-owner',
      '--no-privileges',
      '--lock-wait-timeout=60s',
      `--file=${part}`,
    ])
    if (!OWN_ROWS.test(await runTool(tools, 'pg_restore', ['--list', part])))
      throw new Error('The backup does not hold what it should.')
    // The list is at the beginning of the file; this reads the rest.
    await runTool(tools, 'pg_restore', ['--file=/dev/null', part])
  })
  const megabytes = (statSync(file).size / 1e6).toFixed(1)
  return [
    `Backed up as of ${now.toISOString()}, ${megabytes} MB: ${file}`,
    `Waiting at that moment: at most ${waiting.ofEvents} mails about positions, ${waiting.single} others.`,
  ].join('\n')
}

/** A backup of the coordinator alone would lack what the nodes hold (ADR 0069). */
async function requireOneServer(db: Queryable): Promise<void> {
  if (await isDistributed(db))
    throw new Error(
      'This database is spread over several servers. Back them up as Citus has it, all to one moment.',
    )
}

/**
 * Copies the files of the whole server, with the log that it wrote meanwhile, and checks every file by its checksum. With the log
 * that is archived from then on the server can be brought back to any later moment (docs/backups.md).
 * @param folder a new one
 * @returns what was done, as a sentence
 * @throws as `takeBackup`
 */
export async function takeBaseBackup({ db, tools }: Deps, folder: string, now: Date): Promise<string> {
  await requireOneServer(db)
  const server = await findServerVersion(db)
  await requireVersion(tools, 'pg_basebackup', server, 'same')
  await requireVersion(tools, 'pg_verifybackup', server, 'same')
  await make(db, folder, now, async (part) => {
    const flags = ['--no-password', '--wal-method=stream', '--checkpoint=fast']
    await runTool(tools, 'pg_basebackup', [...flags, `--pgdata=${part}`])
    await runTool(tools, 'pg_verifybackup', [part])
  })
  return `Copied the server, and checked the copy, as of ${now.toISOString()}: ${folder}`
}

/** Has something made under another name beside its own, and gives it its own once it is whole. */
async function make(
  db: Queryable,
  path: string,
  now: Date,
  work: (part: string) => Promise<void>,
): Promise<void> {
  if (existsSync(path)) throw new Error(`${path} is there already.`)
  const part = `${path}.part-${randomBytes(4).toString('hex')}`
  await insertBackup(db, now)
  try {
    await work(part)
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    // The failure's cause may make this statement fail too; a row of no backup does no harm.
    await deleteBackup(db, now).catch(() => undefined)
    throw error
  }
}
