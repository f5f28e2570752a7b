/**
 * A share that trades under another ticker from a day on (ADR 0080): positions from before that day go on under the new one, since
 * the provider no longer answers for the old one. Every position is changed in a transaction of its own; a run that was cut off is run again.
 */
import { symbolSpellings } from '@tradepost/contract/symbol'
import { audit } from '../../auth/audit/audit.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { publishEvent, withPublishing } from '../../events/publish-event.ts'
import { raiseDays } from '../../platform/cache/read-versions.queries.ts'
import { isUniqueViolation } from '../../platform/database/database-errors.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { bumpDirectory, lockDirectory } from '../../quotes/symbols/directory.queries.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'
import {
  copyCloses,
  copyMark,
  copyName,
  copySplits,
  deleteSuspect,
  endKeysOf,
  holdsBeside,
  insertRenaming,
  listToRename,
  type Renaming,
  updateSymbol,
} from '../record/rename-symbol.queries.ts'
import { readSymbol } from './adjust-positions.ts'

type Deps = { db: Queryable; secret: SecretKey }

/**
 * Gives positions in a ticker the new one of their share: those that were opened before its first day and are active, or whose close is
 * unsettled. Followers are mailed about each. Closes, splits, last price and name go along where the new ticker has none of its own; those
 * of the old one stay for closed positions. A trader's position stays where the trader holds the new ticker too.
 * @param given.day the first day (UTC) on which the share trades as `to`, as `2026-11-18`
 * @returns a sentence with the counts
 * @throws when something of it cannot be meant; nothing has changed then
 */
export async function renameSymbol(deps: Deps, given: Renaming, now: Date): Promise<string> {
  const renaming = readRenaming(given, now)
  const meant = await listToRename(deps.db, {
    from: renaming.from,
    until: new Date(`${renaming.day}T00:00:00.000Z`),
  })
  const [oldest] = meant
  // Without a position the old ticker may be another company's by now.
  if (oldest) await passOn(deps.db, renaming, oldest.openedAt, now)
  let renamed = 0
  const holdBoth = new Set<string>()
  for (const key of meant) {
    const outcome = await renamePosition(deps, key, renaming, now)
    if (outcome === 'renamed') renamed += 1
    if (outcome === 'holds both') holdBoth.add(key.traderId)
  }
  return summarise(renamed, holdBoth.size)
}

function readRenaming({ day, from, to }: Renaming, now: Date): Renaming {
  const renaming = { from: readSymbol(from), to: readSymbol(to), day }
  if (renaming.from === renaming.to) throw new Error('That is the same ticker.')
  const instant = new Date(`${day}T00:00:00.000Z`)
  // A day that no month has is read as one of the next.
  if (!(instant <= now) || instant.toISOString().slice(0, 10) !== day)
    throw new Error('That is not a day such as 2026-11-18, up to today.')
  return renaming
}

/** Copies closes, splits and the mark of the share, before the first position: its days are computed from them. */
function passOn(db: Queryable, renaming: Renaming, oldest: Date, now: Date): Promise<void> {
  const openedOn = oldest.toISOString().slice(0, 10)
  return withTransaction(db, async (tx) => {
    // First, as whoever reads the provider's list.
    await lockDirectory(tx)
    for (const from of symbolSpellings(renaming.from)) {
      const spelt = { ...renaming, from }
      const copied = [await copyCloses(tx, spelt, openedOn), await copySplits(tx, spelt, openedOn)]
      if (copied.includes(true)) await raiseDays(tx)
      await copyMark(tx, spelt)
      if (await copyName(tx, spelt)) await bumpDirectory(tx)
      await endKeysOf(tx, from, now)
      await deleteSuspect(tx, from)
    }
  })
}

type Outcome = 'renamed' | 'holds both' | 'ended'

function renamePosition(deps: Deps, key: PositionKey, renaming: Renaming, now: Date): Promise<Outcome> {
  const { id, traderId } = key
  const { day, from, to } = renaming
  return withPublishing<Outcome>(deps.db, traderId, async (tx) => {
    if (await holdsBeside(tx, key, to)) return 'holds both'
    const openPrice = await updateSymbol(tx, key, renaming)
    if (openPrice === null) return 'ended'
    const detail = `${id} ${from} to ${to} of ${day} by operator`
    await audit(deps, tx, { action: 'symbol_renamed', userId: traderId, detail }, now)
    const eventNo = await publishEvent(
      tx,
      { traderId, positionId: id, kind: 'adjusted', requestId: null },
      now,
    )
    await insertRenaming(tx, key, { ...renaming, eventNo, openPrice }, now)
    return 'renamed'
  }).catch((error: unknown) => {
    if (isUniqueViolation(error, 'positions_one_active_a_symbol')) return 'holds both'
    throw error
  })
}

function summarise(renamed: number, holdBoth: number): string {
  const positions = `Renamed ${renamed} ${renamed === 1 ? 'position' : 'positions'}`
  if (holdBoth === 0) return `${positions}.`
  const traders = holdBoth === 1 ? '1 trader holds' : `${holdBoth} traders hold`
  return `${positions}; ${traders} both: run this again when one is closed.`
}
