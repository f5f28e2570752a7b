import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Log } from '../platform/log.ts'
import { startGuarded } from './guarded-process.ts'
import { DATABASE_USER, type PostgresPlace } from './postgres-place.ts'

/**
 * Makes the cluster unless it is there.
 * @param onSpawn is called once initdb runs
 * @throws with what initdb said when it cannot be made
 */
export async function initialiseCluster(place: PostgresPlace, log: Log, onSpawn: () => void): Promise<void> {
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
  const { code, said } = await initdb.ended
  if (code !== 0) throw new Error(`PostgreSQL could not be set up: ${said}`)
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
