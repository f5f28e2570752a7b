import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import type { Position } from '@tradepost/contract/positions'
import type { Queryable } from '../platform/database.ts'
import type { DirectoryNow } from '../quotes/directory.ts'
import { type ActiveRow, type ListedTrader, listActive } from './listed-positions.queries.ts'
import { presentStrike } from './present-position.ts'
import { publicAtOf } from './public-at.ts'

/** What is kept of a trader: their newest active positions, one more than anybody is shown of others, newest first. */
export type PositionsOfTrader = WrittenPosition[]
export const KEPT_MAX_COUNT = POSITIONS_MAX_COUNT + 1

/** An active position as the JSON that is answered. */
type WrittenPosition = { openedAt: number; json: string }

/** What a position takes beside its JSON, in bytes: the object, the text's own head, its place in a list. */
const SIZE_BESIDE_JSON = 100

/** A text with one of these takes two bytes a character, any other one. */
const TAKES_TWO_BYTES = /[\u0100-\uffff]/

/** In bytes, nearly. */
export function sizeOfPositions(positions: PositionsOfTrader): number {
  return positions.reduce((size, { json }) => {
    const bytes = TAKES_TWO_BYTES.test(json) ? 2 : 1
    return size + json.length * bytes + SIZE_BESIDE_JSON
  }, 0)
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

/** @param rows newest first. @returns what is kept of each trader, by key */
export function writePositions(
  directory: DirectoryNow,
  traders: readonly ListedTrader[],
  rows: readonly ActiveRow[],
): Map<string, PositionsOfTrader> {
  const rowsOf = Map.groupBy(rows, ({ traderId }) => traderId)
  return new Map(
    traders.map((trader) => {
      const newest = (rowsOf.get(trader.traderId) ?? []).slice(0, KEPT_MAX_COUNT)
      return [keyOf(trader, directory), newest.map((row) => writePosition(row, trader.username, directory))]
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
  return rows.map((row) => writePosition(row, username, directory))
}

/** Younger than the compiler's own declarations. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }

/** @param decimal text without zeros at its end. @returns what JSON writes with the same digits: a number where it has them all */
function exactly(decimal: string): number {
  const number = Number(decimal)
  return String(number) === decimal ? number : rawJSON(decimal)
}

/** With the fields of the contract and no other, and every digit of the price. */
function writePosition(row: ActiveRow, username: string, directory: DirectoryNow): WrittenPosition {
  const companyName = directory.nameOf(row.symbol, row.tickerLostOn)
  const position: Position = {
    id: row.id,
    active: true,
    stock: row.symbol,
    holdLength: row.holdLength,
    openNotes: row.openNotes,
    openPrice: exactly(row.openPrice),
    openedAt: row.openedAt.toISOString(),
    user: username,
    publicAt: publicAtOf(row).toISOString(),
    ...presentStrike(row.struckReason),
    ...(companyName !== undefined && { companyName }),
  }
  return { openedAt: row.openedAt.getTime(), json: JSON.stringify(position) }
}
