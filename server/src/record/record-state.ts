import type { RecordKeys, RecordState } from '@tradepost/contract/record-keys'
import { readVerifierKey, writeVerifierKey } from '@tradepost/record/note'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Settings } from '../platform/settings.ts'
import { sha256 } from './hashes.ts'
import { findHead } from './log.queries.ts'
import { findLogKeys } from './log-keys.queries.ts'
import { plainKey } from './log-keys.ts'
import { signedBy } from './quorum.ts'

type Configured = Pick<Settings, 'record'>

/** The keys whose signatures count: those of the log under both types, old ones too. @returns null before the log has begun */
export async function readKeys(
  db: Queryable,
  { record: { quorum, witnesses } }: Configured,
): Promise<RecordKeys | null> {
  const head = await findHead(db)
  if (!head) return null
  const timed = (await findLogKeys(db)).flatMap(({ vkey }) => readVerifierKey(sha256, vkey) ?? [])
  const log = timed.flatMap((key) => [key, plainKey(key)].map(writeVerifierKey))
  return { origin: head.origin, log, witnesses: witnesses.map(({ vkey }) => vkey), quorum }
}

/** @returns null before the first entry */
export async function readState(db: Queryable, settings: Configured): Promise<RecordState | null> {
  const head = await findHead(db)
  if (!head?.note || !head.signedAt) return null
  const witnesses = signedBy(head.note, settings.record.witnesses).length
  return { size: head.size, signedAt: Math.floor(head.signedAt.getTime() / 1000), witnesses }
}
