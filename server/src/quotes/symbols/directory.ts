import { readableName } from '@tradepost/contract/company-name'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { type FoundSymbol, SYMBOLS_MAX_COUNT } from '@tradepost/contract/symbols'
import { ttlCache } from '../../platform/cache/ttl-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { findDirectoryVersion, listFormerNames, listSymbols } from './directory.queries.ts'

/** Words are found by so many of their first letters; of those that are left each is compared. */
const INDEXED_LETTERS = 3

/** `words` of name and ticker, each after a blank. */
type Indexed = FoundSymbol & { words: string }

/** Changes by another process are seen after so long. */
const LOOKED_AFTER_MS = 60_000

/** The provider's list of symbols as it is kept, with the names that tickers had before (ADR 0082). */
export type DirectoryNow = {
  /** Another one after every change. */
  version: number
  /** No list was ever read: the provider has none. */
  isEmpty: boolean
  /** Whether the last list holds a ticker. */
  lists(symbol: string): boolean
  /**
   * The company of a ticker at an instant, as people read it; null for now.
   * @returns undefined where it is not known
   */
  nameOf(symbol: string, at: Date | null): string | undefined
  /** The company's name of now in the letters in which it is kept. */
  keptName(symbol: string): string | undefined
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
  const look = ttlCache(clock, LOOKED_AFTER_MS, async () => {
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
  symbols: ReadonlyMap<string, { name: string; kept: string; listed: boolean }>
  /** By symbol, the oldest first. */
  former: ReadonlyMap<string, { name: string; until: number }[]>
  index: ReturnType<typeof indexSymbols>
}

async function readChanges(db: Queryable, before: Kept, version: number): Promise<Kept> {
  const changed = await listSymbols(db, before.version)
  const symbols = new Map(before.symbols)
  for (const { listed, name, symbol } of changed)
    symbols.set(symbol, { name: readableName(name), kept: name, listed })
  const former = new Map(before.former)
  for (const { name, symbol, until } of await listFormerNames(db, before.version))
    former.set(symbol, [...(former.get(symbol) ?? []), { name: readableName(name), until: until.getTime() }])
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
    keptName: (symbol) => symbols.get(symbol)?.kept,
  }
}

/**
 * Makes a list of symbols ready to be searched: a search is over those alone that have a word with the same first letters.
 * @param symbols all that a search may find now
 */
function indexSymbols(symbols: readonly FoundSymbol[]) {
  // Among those that are alike, the shorter ticker is the company's common share.
  const ordered = symbols
    .map(({ name, symbol }) => ({ name, symbol, words: ` ${wordsOf(name)} ${wordsOf(symbol)}` }))
    .sort((one, other) => one.symbol.length - other.symbol.length || (one.symbol < other.symbol ? -1 : 1))
  const tickers = new Map(ordered.map((one) => [one.symbol, one]))
  const bySpelling = new Map(
    [...tickers.keys()]
      .filter((symbol) => /[.-]/.test(symbol))
      .map((symbol) => [withoutHyphens(symbol), symbol]),
  )
  const canonical = (symbol: string) =>
    tickers.has(symbol) ? symbol : (bySpelling.get(withoutHyphens(symbol)) ?? symbol)
  const byTicker = firstByTicker(ordered)
  const byWord = groupByWord(ordered)
  return {
    isEmpty: ordered.length === 0,
    lists: (symbol: string) => tickers.has(symbol),
    canonical,
    /** @param query as typed */
    search(query: string): FoundSymbol[] {
      const sought = wordsOf(query)
      if (sought === '') return []
      const ticker = canonical(normaliseSymbol(query))
      const found = new Set<Indexed>(byTicker.get(ticker))
      for (const one of likeWords(byWord, sought)) {
        if (found.size >= SYMBOLS_MAX_COUNT) break
        found.add(one)
      }
      return [...found].map(({ name, symbol }) => ({ symbol, name }))
    },
  }
}

/** By each beginning of a ticker, the first ones that begin so; the ticker itself is the shortest. */
function firstByTicker(ordered: readonly Indexed[]): Map<string, Indexed[]> {
  const first = new Map<string, Indexed[]>()
  for (const one of ordered)
    for (let length = 1; length <= one.symbol.length; length += 1) {
      const there = getOrInsert(first, one.symbol.slice(0, length))
      if (there.length < SYMBOLS_MAX_COUNT) there.push(one)
    }
  return first
}

/** By the first letters of each word, one to three of them. */
function groupByWord(ordered: readonly Indexed[]): Map<string, Indexed[]> {
  const groups = new Map<string, Indexed[]>()
  for (const one of ordered) {
    const beginnings = one.words
      .trim()
      .split(' ')
      .flatMap((word) => Array.from({ length: INDEXED_LETTERS }, (_, nth) => word.slice(0, nth + 1)))
    for (const beginning of new Set(beginnings)) getOrInsert(groups, beginning).push(one)
  }
  return groups
}

/** First those whose name begins with a text, then those with words that begin with each of its words. */
function likeWords(byWord: ReadonlyMap<string, Indexed[]>, sought: string): Indexed[] {
  const words = sought.split(' ')
  const groups = words.map((word) => byWord.get(word.slice(0, INDEXED_LETTERS)) ?? [])
  const fewest = groups.reduce((least, group) => (group.length < least.length ? group : least))
  const begins: Indexed[] = []
  const others: Indexed[] = []
  for (const one of fewest) {
    if (one.words.startsWith(` ${sought}`)) begins.push(one)
    else if (others.length < SYMBOLS_MAX_COUNT && words.every((word) => one.words.includes(` ${word}`)))
      others.push(one)
    if (begins.length >= SYMBOLS_MAX_COUNT) break
  }
  return [...begins, ...others]
}

function getOrInsert<Value>(groups: Map<string, Value[]>, key: string): Value[] {
  const there = groups.get(key) ?? []
  groups.set(key, there)
  return there
}

/** In small letters, without accents and apostrophes, each word apart. */
function wordsOf(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{Mark}'’]/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim()
}

function withoutHyphens(symbol: string): string {
  return symbol.replaceAll('-', '.')
}
