import { hash } from 'node:crypto'
import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../../platform/database/queryable.ts'
import { sizeOfText } from '../../platform/size-of-text.ts'
import type { DirectoryNow } from '../../quotes/symbols/directory.ts'
import { presentPosition } from '../record/shown-position.ts'
import { type ActiveRow, type ListedTrader, listActive } from './listed-positions.queries.ts'

/**
 * A trader's kept positions: their newest active ones, one more than anybody is shown of others, newest first.
 * `digest`: of their bytes, '' where there are none.
 */
export type PositionsOfTrader = { positions: readonly WrittenPosition[]; digest: string }
export const KEPT_MAX_COUNT = POSITIONS_MAX_COUNT + 1

/**
 * An active position as the JSON that is answered, and what its mark is chosen by. `openPrice`: decimal text, US dollars. `lost`: the
 * ticker is another company's now.
 */
export type WrittenPosition = {
  id: string
  openedAt: number
  json: string
  symbol: string
  openPrice: string
  lost: boolean
}

/** The bytes that a position takes beside its JSON: the object, heads of texts, its place in a list. */
const SIZE_BESIDE_JSON = 260

/** In bytes, nearly. */
export function sizeOfPositions({ positions }: PositionsOfTrader): number {
  return positions.reduce((size, { json }) => size + sizeOfText(json) + SIZE_BESIDE_JSON, 0)
}

/** By which a trader's positions are kept: the username is in them, and so are the names of companies. */
export function keyOf({ traderId, username }: ListedTrader, { version }: DirectoryNow): string {
  return `${traderId} ${version} ${username}`
}

/** @returns the newest positions of each trader, newest first */
export async function readNewest(db: Queryable, traders: readonly ListedTrader[]): Promise<ActiveRow[]> {
  const limit = KEPT_MAX_COUNT * traders.length
  const rows = await listActive(
    db,
    traders.map(({ traderId }) => traderId),
    limit,
  )
  if (rows.length < limit || traders.length === 1) return rows
  // So many that those of some may be cut: each is asked for alone, one after the other, since it may be on one connection.
  const all: ActiveRow[] = []
  for (const trader of traders) all.push(...(await readNewest(db, [trader])))
  return all
}

/** @param rows newest first. @returns the text that is kept of each trader, by key */
export function writePositions(
  directory: DirectoryNow,
  traders: readonly ListedTrader[],
  rows: readonly ActiveRow[],
): Map<string, PositionsOfTrader> {
  const rowsOf = Map.groupBy(rows, ({ traderId }) => traderId)
  return new Map(
    traders.map((trader) => {
      const newest = (rowsOf.get(trader.traderId) ?? []).slice(0, KEPT_MAX_COUNT)
      return [keyOf(trader, directory), write(newest, trader.username, directory)]
    }),
  )
}

/** All active positions of one trader, newest first. */
export async function readAll(
  db: Queryable,
  directory: DirectoryNow,
  { traderId, username }: ListedTrader,
): Promise<PositionsOfTrader> {
  const rows = await listActive(db, [traderId], null)
  return write(rows, username, directory)
}

function write(rows: readonly ActiveRow[], username: string, directory: DirectoryNow): PositionsOfTrader {
  const positions = rows.map((row) => writePosition(row, username, directory))
  const bytes = positions.map(({ json }) => json).join()
  return { positions, digest: bytes === '' ? '' : hash('sha256', bytes, 'base64url') }
}

/** Younger than the compiler's own declarations. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }

/** @param decimal text without zeros at its end. @returns a value that JSON writes with the same digits: a number where it has them all */
function exactly(decimal: string): number {
  const number = Number(decimal)
  return String(number) === decimal ? number : rawJSON(decimal)
}

/** With every digit of the price. */
function writePosition(row: ActiveRow, username: string, directory: DirectoryNow): WrittenPosition {
  const companyName = directory.nameOf(row.symbol, row.tickerLostOn)
  const shown = presentPosition(row, { active: true, username, companyName })
  return {
    id: row.id,
    openedAt: row.openedAt.getTime(),
    json: JSON.stringify({ ...shown, openPrice: exactly(row.openPrice) }),
    symbol: row.symbol,
    openPrice: row.openPrice,
    lost: row.tickerLostOn !== null,
  }
}
