import type { FoundSymbol } from '@tradepost/contract/symbols'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { keepAnswers } from '../platform/recent-answers.ts'
import { findDirectoryVersion, listFormerNames, listSymbols } from './directory.queries.ts'
import { indexSymbols } from './find-symbols.ts'

/** What another process has written is seen after so long. */
const LOOKED_AFTER_MS = 60_000

/** The provider's list of symbols as it is kept, with the names that tickers had before (decision 0082). */
export type DirectoryNow = {
  /** Another one after every change. */
  version: number
  /** No list was ever read: the provider has none. */
  isEmpty: boolean
  /** Whether the last list holds a ticker. */
  lists(symbol: string): boolean
  /**
   * The company of a ticker at an instant; null for now.
   * @returns undefined where it is not known
   */
  nameOf(symbol: string, at: Date | null): string | undefined
  /** @param symbol as `normaliseSymbol` returns it. @returns in the spelling of the list, where that differs by points and hyphens alone */
  canonical(symbol: string): string
  /** Tickers like a text, the likeliest first. */
  search(query: string): FoundSymbol[]
}

export type Directory = {
  /** Read again when it has changed. */
  now(): Promise<DirectoryNow>
  /** This process has changed it. */
  changed(): void
}

/** Keeps the directory in this process: every list of positions names companies, and everybody who types a ticker searches it. */
export function keepDirectory({ clock, db }: { db: Queryable; clock: Clock }): Directory {
  let kept: Kept = { version: -1, symbols: new Map(), former: new Map(), index: indexSymbols([]) }
  let changes = 0
  const look = keepAnswers(clock, LOOKED_AFTER_MS, async () => {
    const version = await findDirectoryVersion(db)
    if (version !== kept.version) kept = await readChanges(db, kept, version)
    return present(kept)
  })
  return {
    now: () => look(String(changes)),
    changed() {
      changes += 1
    },
  }
}

type Kept = {
  version: number
  symbols: ReadonlyMap<string, { name: string; listed: boolean }>
  /** By symbol, the oldest first. */
  former: ReadonlyMap<string, { name: string; until: number }[]>
  index: ReturnType<typeof indexSymbols>
}

async function readChanges(db: Queryable, before: Kept, version: number): Promise<Kept> {
  const changed = await listSymbols(db, before.version)
  const symbols = new Map(before.symbols)
  for (const { listed, name, symbol } of changed) symbols.set(symbol, { name, listed })
  const former = new Map(before.former)
  for (const { name, symbol, until } of await listFormerNames(db, before.version))
    former.set(symbol, [...(former.get(symbol) ?? []), { name, until: until.getTime() }])
  // A name that no list holds is none that is searched.
  const isSearched = changed.some(({ listed, symbol }) => listed || before.symbols.get(symbol)?.listed)
  return { version, symbols, former, index: isSearched ? indexSymbols(listedOf(symbols)) : before.index }
}

function listedOf(symbols: Kept['symbols']): FoundSymbol[] {
  return [...symbols].flatMap(([symbol, { listed, name }]) => (listed ? [{ symbol, name }] : []))
}

function present({ former, index, symbols, version }: Kept): DirectoryNow {
  return {
    ...index,
    version,
    nameOf(symbol, at) {
      const before = at && former.get(symbol)?.find(({ until }) => until > at.getTime())
      return before ? before.name : symbols.get(symbol)?.name
    },
  }
}
