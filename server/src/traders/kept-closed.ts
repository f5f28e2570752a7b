import { hash } from 'node:crypto'
import { type ClosedOfTrader, closedPositionsAnswer } from '@tradepost/contract/closed-positions'
import { gainNumber } from '@tradepost/contract/gain'
import { CLOSED_PAGE_COUNT } from '@tradepost/contract/limits'
import { wholeDaysBetween } from '@tradepost/contract/trading-day'
import type { Whole } from '@tradepost/contract/whole'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import { sizeOfText } from '../platform/size-of-text.ts'
import { presentStrike, settledOf } from '../positions/record/shown-position.ts'
import type { DirectoryNow } from '../quotes/symbols/directory.ts'
import type { ClosedPage, ClosedPositionRow } from './closed-positions.queries.ts'

/** A page of a trader's closed positions, the same for every reader. `next`: the cursor of the page after it; null on the last one. */
export type KeptPage = {
  positions: WrittenClosed[]
  next: string | null
  /** Nearly everybody is answered without notes, and the trader with all. */
  toAnybody: ReadyAnswer
  toTrader: ReadyAnswer
}

/** Which notes are shown of a position. */
type Notes = 'none' | 'of the opening' | 'all'

/** A closed position as JSON, without the brace at its end, and the part of its notes that comes after it, by reader. */
type WrittenClosed = Pick<ClosedPositionRow, 'openedNo' | 'closedNo'> & {
  json: string
  ends: Record<Notes, string>
}

/** The bytes that a position takes beside its texts: objects, heads of texts, its place in a list. */
const SIZE_BESIDE_TEXTS = 300

/** In bytes, nearly. */
export function sizeOfPage({ positions }: KeptPage): number {
  return positions.reduce(
    (size, { ends, json }) =>
      size + sizeOfText(json) + sizeOfText(ends['of the opening']) + sizeOfText(ends.all) + SIZE_BESIDE_TEXTS,
    SIZE_BESIDE_TEXTS,
  )
}

/** @param rows one more than is shown, which means that there is a next page */
export function writePage(
  rows: readonly ClosedPositionRow[],
  page: ClosedPage,
  directory: DirectoryNow,
): KeptPage {
  const shown = rows.slice(0, CLOSED_PAGE_COUNT)
  const last = shown.at(-1)
  const positions = shown.map((row) => writePosition(row, directory))
  const next = rows.length > shown.length && last ? writeCursor(page, last) : null
  return {
    positions,
    next,
    toAnybody: keepAnswer({ positions, next }, 'none'),
    toTrader: keepAnswer({ positions, next }, 'all'),
  }
}

type Parts = Pick<KeptPage, 'positions' | 'next'>

/** Its parts are there once, for everybody; the hash of its bytes is kept. */
function keepAnswer(parts: Parts, notes: Notes): ReadyAnswer {
  const write = () => writeAnswer(parts, () => notes)
  return ReadyAnswer.ofParts(['closed', hash('sha256', write(), 'base64url')], write)
}

/** @param notesOf which notes are shown of each */
export function writeAnswer({ next, positions }: Parts, notesOf: (position: WrittenClosed) => Notes): string {
  const shown = positions.map((position) => position.json + position.ends[notesOf(position)])
  return `{"positions":[${shown.join()}],"next":${JSON.stringify(next)}}`
}

function writeCursor({ sort, order }: ClosedPage, { key, id }: ClosedPositionRow): string {
  return Buffer.from(`${sort} ${order} ${key} ${id}`).toString('base64url')
}

function writePosition(row: ClosedPositionRow, directory: DirectoryNow): WrittenClosed {
  const companyName = directory.nameOf(row.symbol, row.tickerLostOn ?? row.closedAt)
  const shown: Omit<Whole<ClosedOfTrader>, 'notes'> = {
    id: row.id,
    symbol: row.symbol,
    companyName,
    holdLength: row.holdLength,
    openPrice: Number(row.openPrice),
    closePrice: Number(row.closePrice),
    opened: row.openedAt.toISOString(),
    closed: row.closedAt.toISOString(),
    percentageGain: gainNumber(row.percentageGain),
    daysHeld: wholeDaysBetween(row.openedAt, row.closedAt),
    settled: settledOf(row),
    ...presentStrike(row.struckReason),
  }
  const json = write(shown).slice(0, -1)
  const endOf = (notes: ClosedOfTrader['notes']) => write({ ...shown, notes }).slice(json.length)
  const { closeNotes, closedNo, openedNo, openNotes } = row
  return {
    openedNo,
    closedNo,
    json,
    ends: {
      none: '}',
      'of the opening': endOf({ open: openNotes }),
      all: endOf({ open: openNotes, close: closeNotes }),
    },
  }
}

/** With nothing that the contract does not name; its notes last. */
function write(position: ClosedOfTrader): string {
  return JSON.stringify(closedPositionsAnswer.parse({ positions: [position], next: null }).positions[0])
}
