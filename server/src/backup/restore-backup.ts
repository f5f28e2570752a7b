import { withTransaction } from '../platform/database/queryable.ts'
import { tryMigrationLock } from '../platform/upgrade/migrate.ts'
import { findServerVersion, isEmpty, markRestored } from './backups.queries.ts'
import { databaseName } from './connection-environment.ts'
import { withoutLimits } from './long-statements.ts'
import { requireVersion, runTool, type Tools } from './postgres-tools.ts'
import { OWN_ROWS } from './take-backup.ts'

/**
 * Restores a backup of `takeBackup` into an empty database: all of it, or nothing. From then on no process of the product starts on it
 * until the restore is settled (ADR 0067).
 * @param file of `takeBackup`
 * @returns what was done and what comes next, as sentences
 * @throws when the database is not empty, a process of the product is starting on it, or a program is missing, too old or fails
 */
export async function restoreBackup(tools: Tools, file: string, now: Date): Promise<string> {
  const takenAt = await withoutLimits(tools.databaseUrl, async (db) => {
    await requireVersion(tools, 'pg_restore', await findServerVersion(db), 'same or newer')
    if (!OWN_ROWS.test(await runTool(tools, 'pg_restore', ['--list', file])))
      throw new Error('This file was not made by `npm run operator -- backup`.')
    // Every process migrates before anything else, under this lock: none gets to see what is half restored.
    return withTransaction(db, async (tx) => {
      if (!(await tryMigrationLock(tx)))
        throw new Error('A process of the product is starting on this database: stop them all.')
      if (!(await isEmpty(tx)))
        throw new Error('This database is not empty: make a new one, and set DATABASE_URL to it.')
      await runTool(tools, 'pg_restore', [
        '--no-password',
        '--exit-on-error',
        '--single-transaction',
        '--no-owner',
        '--no-privileges',
        `--dbname=${databaseName(tools.databaseUrl)}`,
        file,
      ])
      return markRestored(tx, now)
    })
  })
  if (!takenAt) throw new Error('The backup does not say of when it is.')
  return [
    `Restored what was there at ${takenAt.toISOString()}. What came later is not in it.`,
    'No process of the product starts on it until you have said: npm run operator -- backup:settle',
  ].join('\n')
}
