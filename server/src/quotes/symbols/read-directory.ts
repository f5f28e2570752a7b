/**
 * Reads the provider's list of symbols once a day (ADR 0082). Any number of workers may run the sweep; one that dies leaves the list
 * to the next try.
 */
import { readableName } from '@tradepost/contract/company-name'
import { DAY_MS } from '@tradepost/contract/trading-day'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Log } from '../../platform/log.ts'
import type { Sweep } from '../../platform/sweeps.ts'
import type { Listing, PriceProvider } from '../provider/provider.ts'
import type { Calls } from '../provider/take-call.ts'
import { compareLists, type ListChanges } from './compare-lists.ts'
import {
  beginReading,
  bumpDirectory,
  type DirectoryState,
  endMarks,
  endReading,
  forgetFigi,
  hasList,
  type KeptSymbol,
  keepFormerNames,
  listHeld,
  listSymbols,
  lockDirectory,
  markMissing,
  markTickersLost,
  updateNotified,
  upsertSymbols,
} from './directory.queries.ts'

/** The day of a list begins at 10:00 UTC: exchanges have published by then what trades today, and trade three hours later. */
const DAY_BEGINS_MS = 10 * 3_600_000
const TRIED_AGAIN_AFTER_MS = 600_000
/** A list has ten million bytes. */
const DEADLINE_MS = 60_000
/** Days without a list after which the operator is notified. */
const NOTIFIED_AFTER_DAYS = 3

export type DirectoryDeps = {
  db: Queryable
  provider: Pick<PriceProvider, 'directory'>
  calls: Pick<Calls, 'take'>
  log: Log
}

export function directorySweep(deps: DirectoryDeps): Sweep {
  return { name: 'list of symbols', run: (now) => readDirectory(deps, now) }
}

/**
 * Reads the list of today unless it was read, and keeps what it changes.
 * A provider without a list leaves everything as it is: the names of companies are asked at each check then.
 */
export async function readDirectory(deps: DirectoryDeps, now: Date): Promise<void> {
  const { calls, db, log, provider } = deps
  const day = dayOf(now)
  if (!(await beginReading(db, { day, triedBefore: new Date(now.getTime() - TRIED_AGAIN_AFTER_MS) }, now)))
    return
  if (!(await calls.take('directory'))) return
  const list = await ask(provider)
  if (list === 'no list' && !(await hasList(db))) {
    await withTransaction(db, (tx) => endReading(tx, { day, shortSince: null }))
    return
  }
  if (typeof list === 'string') {
    log.warn({ reason: list }, 'the list of symbols could not be read')
    return notifyOfNone(db, day, now)
  }
  const named = list.map(({ name, ...listing }) => ({ ...listing, name: name && readableName(name) }))
  await withTransaction(db, (tx) => keepList(tx, { day, list: named }, now))
}

/** @returns a sentence of ours where there is no list, which quotes nothing that was received */
async function ask(provider: DirectoryDeps['provider']): Promise<Listing[] | string> {
  try {
    return await provider.directory(AbortSignal.timeout(DEADLINE_MS))
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown'
  }
}

function dayOf(now: Date): string {
  return new Date(now.getTime() - DAY_BEGINS_MS).toISOString().slice(0, 10)
}

async function keepList(
  tx: Queryable,
  { day, list }: { day: string; list: readonly Listing[] },
  now: Date,
): Promise<void> {
  const state = await lockDirectory(tx)
  const kept = new Map((await listSymbols(tx)).map((row) => [row.symbol, row]))
  const changes = compareLists(kept, list, now)
  await writeChanges(tx, changes, now)
  await notifyOfHeld(tx, { changes, kept, list }, now)
  if (!changes.isWhole && !state.shortSince) await notifyOfShort(tx, changes, now)
  await endReading(tx, { day, shortSince: shortSince(state, changes, now) })
}

function shortSince(state: DirectoryState, { isWhole, missing }: ListChanges, now: Date): Date | null {
  if (!isWhole) return state.shortSince ?? now
  return missing.length > 0 ? state.shortSince : null
}

async function writeChanges(tx: Queryable, changes: ListChanges, now: Date): Promise<void> {
  const { delisted, missing, noted, renamed, reused } = changes
  if ([delisted, missing, noted, renamed, reused].every((those) => those.length === 0)) return
  const others = reused.map(({ symbol }) => symbol)
  const version = await bumpDirectory(tx)
  await keepFormerNames(tx, [...renamed.map(({ symbol }) => symbol), ...others], { version, now })
  await forgetFigi(tx, others)
  await upsertSymbols(tx, noted, { listed: true, since: null, version })
  await upsertSymbols(tx, [...renamed, ...reused], { listed: true, since: now, version })
  await markMissing(tx, { missing, delisted }, { version, now })
  await endMarks(tx, delisted, now)
  if (others.length > 0) await markTickersLost(tx, others, now.toISOString().slice(0, 10))
}

type Compared = { changes: ListChanges; kept: ReadonlyMap<string, KeptSymbol>; list: readonly Listing[] }

/** Only an operator knows what became of a share whose ticker is gone, or is another company's; each is notified when it happens. */
async function notifyOfHeld(tx: Queryable, { changes, kept, list }: Compared, now: Date): Promise<void> {
  const reused = changes.reused.map(({ symbol }) => symbol)
  const gone = [...changes.delisted, ...reused]
  const held = gone.length > 0 ? await listHeld(tx, gone) : []
  if (held.length === 0) return
  const tickers = new Map(list.flatMap(({ figi, symbol }) => (figi ? [[figi, symbol] as const] : [])))
  const lines = held.map((symbol) => {
    const was = kept.get(symbol)
    const happened = reused.includes(symbol)
      ? `${symbol} is another company's now; it was that of ${was?.name}.`
      : `${symbol} (${was?.name}) is not listed any more.`
    const moved = was?.figi ? tickers.get(was.figi) : undefined
    return moved ? `${happened} The same share is listed as ${moved}.` : happened
  })
  const facts = {
    subject: `${held.join(', ')}: ${held.length === 1 ? 'a ticker that somebody holds has changed' : 'tickers that people hold have changed'}`,
    text: `${lines.join('\n')}\n\nIf the share has another ticker: npm run operator -- symbols:rename. If it is no longer traded: npm run operator -- positions:adjust delisted, with what holders got for a share. Until then positions in it are closed at the last price that was known, and are unsettled.\n`,
  }
  const cause = `tickers:${now.toISOString().slice(0, 10)}`
  await queueMail(tx, { kind: 'operator_notice', userId: null, cause, facts }, now)
}

/** Once, until a list is whole again. */
async function notifyOfShort(tx: Queryable, { missing }: ListChanges, now: Date): Promise<void> {
  const facts = {
    subject: 'the list of symbols is not whole',
    text: `The provider's list of symbols lacks ${missing.length} that it held before. Nothing is taken for delisted before the third such day.\n`,
  }
  await queueMail(
    tx,
    { kind: 'operator_notice', userId: null, cause: `list:short:${now.toISOString().slice(0, 10)}`, facts },
    now,
  )
}

/** Once, until there is a list again. */
async function notifyOfNone(db: Queryable, day: string, now: Date): Promise<void> {
  await withTransaction(db, async (tx) => {
    const { readOn, notifiedAt } = await lockDirectory(tx)
    if (notifiedAt || !readOn || Date.parse(day) - Date.parse(readOn) < NOTIFIED_AFTER_DAYS * DAY_MS) return
    await updateNotified(tx, now)
    const facts = {
      subject: 'there is no list of symbols',
      text: `The provider's list of symbols could not be read since ${readOn}. Names and the search are those of that day.\n`,
    }
    await queueMail(tx, { kind: 'operator_notice', userId: null, cause: `list:none:${day}`, facts }, now)
  })
}
