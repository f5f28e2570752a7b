import { EXPORT_BEGINS_MAX_COUNT } from '@tradepost/contract/limits'
import { audit, auditedEmail } from '../../auth/audit/audit.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { findUser } from '../../auth/users/users.queries.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { writeExport } from '../file/write-export.ts'
import type { Source } from '../tables/export-table.ts'
import { readExportToken } from './export-token.ts'
import { beginExport, type ExportRow, findExport, markTaken } from './exports.queries.ts'

export type ExportDeps = { db: Queryable; secret: SecretKey } & Omit<Source, 'db'>

/**
 * The state of a link: `live` while it gives a file; `unknown` when it is none of ours, `expired` after an hour, `taken` once a file was
 * sent to its end, `replaced` by a newer one, `broken` when it was begun as often as it may be.
 */
export type ExportLink =
  | { kind: 'live'; id: string; userId: string; expiresAt: Date }
  | { kind: 'unknown' | 'expired' | 'taken' | 'replaced' | 'broken' }
export type LiveExport = Extract<ExportLink, { kind: 'live' }>

/** Looks what a link gives; uses nothing up. */
export async function lookUpExport(
  { db, secret }: Pick<ExportDeps, 'db' | 'secret'>,
  token: string,
  now: Date,
): Promise<ExportLink> {
  const id = readExportToken(secret, token)
  return id === null ? { kind: 'unknown' } : describe(await findExport(db, id), now)
}

function describe(row: ExportRow | undefined, now: Date): ExportLink {
  if (row?.taken_at) return { kind: 'taken' }
  if (row?.replaced_at) return { kind: 'replaced' }
  // We made the token, so there was such a link once.
  if (!row || row.expires_at <= now) return { kind: 'expired' }
  if (row.begins >= EXPORT_BEGINS_MAX_COUNT) return { kind: 'broken' }
  return { kind: 'live', id: row.id, userId: row.user_id, expiresAt: row.expires_at }
}

/**
 * Begins a file: one of the link's beginnings is used up. A suspended person gets theirs too: what is kept of them is theirs all the same.
 * @returns the bytes of the file; null when the link counts no more
 */
export async function beginFile(
  deps: ExportDeps,
  { id, userId }: LiveExport,
  now: Date,
): Promise<AsyncGenerator<Uint8Array> | null> {
  if (!(await beginExport(deps.db, { id, most: EXPORT_BEGINS_MAX_COUNT }, now))) return null
  return readPerson(deps, userId, now)
}

/** The file of a person, of whom it is known who they are. @throws when nobody has that id */
export async function readPerson(
  { db, rights, secret, witnessing }: ExportDeps,
  userId: string,
  at: Date,
): Promise<AsyncGenerator<Uint8Array>> {
  const user = await findUser(db, userId)
  if (!user) throw new Error('There is nobody of that id.')
  const { email } = user
  const emailHmacs = secret.all.map((key) => auditedEmail(key, email))
  return writeExport({ db, witnessing, rights }, { userId, email, emailHmacs, at })
}

/** Uses a link up: its file was sent to the last byte. */
export async function endExport(
  { db, secret }: Pick<ExportDeps, 'db' | 'secret'>,
  { id, userId }: LiveExport,
  client: Client,
  now: Date,
): Promise<void> {
  await withTransaction(db, async (tx) => {
    if (!(await markTaken(tx, id, now))) return
    await audit({ secret }, tx, { action: 'export_taken', userId, detail: id, client }, now)
  })
}
