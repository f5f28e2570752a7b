import { LRUCache } from 'lru-cache'
import type { Queryable } from '../platform/database.ts'
import { lookUpTogether } from '../platform/look-up-together.ts'
import { listCompanyNames } from './company-names.queries.ts'

/** More than American exchanges list. */
const MAX_KEPT = 20_000

export type CompanyNames = {
  /** @returns null when it is not known */
  find(symbol: string): Promise<string | null>
  /** @returns those that are known, by symbol */
  findAll(symbols: Iterable<string>): Promise<ReadonlyMap<string, string>>
}

/**
 * The names of companies. A name that the database has never changes (`insertCompanyName`), so this process keeps those that it has
 * read; one that is not known is asked for again each time.
 */
export function keepCompanyNames(db: Queryable): CompanyNames {
  const kept = new LRUCache<string, string>({ max: MAX_KEPT })
  const lookUp = lookUpTogether(listCompanyNames)

  async function find(symbol: string): Promise<string | null> {
    const known = kept.get(symbol)
    if (known !== undefined) return known
    const name = await lookUp(db, symbol)
    if (name !== undefined) kept.set(symbol, name)
    return name ?? null
  }

  return {
    find,
    async findAll(symbols) {
      const names = new Map<string, string>()
      const unknown: string[] = []
      for (const symbol of symbols) {
        const known = kept.get(symbol)
        if (known === undefined) unknown.push(symbol)
        else names.set(symbol, known)
      }
      const found = await Promise.all(unknown.map(find))
      for (const [nth, symbol] of unknown.entries()) {
        const name = found[nth]
        if (name) names.set(symbol, name)
      }
      return names
    },
  }
}
