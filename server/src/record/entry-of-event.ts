import { hash } from 'node:crypto'
import { HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import { type EntryText, writeEntryText } from '@tradepost/record/entry-text'
import { LEAF_FLAGS, type LeafKind } from '@tradepost/record/leaf'
import Big from 'big.js'
import { closePriceAt, settlementOrder } from '../positions/list/position-history.ts'
import type { Change, EventRow } from './event-facts.queries.ts'

/** An event as the record states it: the kind of its leaf, its text, and what the leaf shows of it. */
export type StatedEvent = {
  kind: LeafKind
  change: EntryText['kind']
  text: string
  hold: number
  flags: number
}

/**
 * States an event as it was published: what was changed in its position since is taken back.
 * @param changes of the position, the oldest first
 * @param quotedAt of the opening's price; null where nobody knows it any more
 * @throws for an event whose facts are missing
 */
export function stateEvent(event: EventRow, changes: readonly Change[], quotedAt: Date | null): StatedEvent {
  const symbol = symbolAt(event, changes)
  switch (event.kind) {
    case 'opened': {
      const price = plain(changes[0]?.openPriceBefore ?? event.openPrice)
      const { holdLength, openNotes } = event
      const notesHash = hashOf(openNotes)
      const entry = {
        kind: 'opened',
        symbol,
        price,
        quotedAt: instant(quotedAt),
        hold: holdLength,
        notesHash,
      } as const
      return { ...stated('opened', entry, 0), hold: HOLD_LENGTHS.indexOf(holdLength) + 1 }
    }
    case 'closed': {
      const { closeNotes, closedAt, closedByOperator, overrideUsed } = event
      if (closedAt === null || closeNotes === null) throw new Error('a closed event without a close')
      // A settlement may have overwritten the price of an unsettled close.
      const price = closePriceAt(event, changes, closedAt)
      const entry = {
        kind: 'closed',
        symbol,
        price: price === null ? '' : plain(price),
        quotedAt: instant(event.quotedAt),
        notesHash: hashOf(closeNotes),
      } as const
      const flags = (overrideUsed ? LEAF_FLAGS.override : 0) + (closedByOperator ? LEAF_FLAGS.operator : 0)
      return stated('closed', entry, flags)
    }
    case 'settled': {
      const at = settlementOrder(event)
      const price = at && closePriceAt(event, changes, at)
      if (price === null) throw new Error('a settled event without its price')
      const entry = {
        kind: 'settled',
        symbol,
        price: plain(price),
        quotedAt: instant(event.settledAt),
      } as const
      return stated('adjusted', entry, event.settledBy === 'operator' ? LEAF_FLAGS.operator : 0)
    }
    case 'adjusted': {
      const change = changes.find(({ eventNo }) => eventNo === event.eventNo)
      if (!change) throw new Error('an adjusted event without what was adjusted')
      return stated('adjusted', textOfChange(symbol, change), LEAF_FLAGS.operator)
    }
  }
}

function stated(kind: LeafKind, entry: EntryText, flags: number): StatedEvent {
  return { kind, change: entry.kind, text: writeEntryText(entry), hold: 0, flags }
}

function textOfChange(symbol: string, change: Change): EntryText {
  const { corrected, day, explained, newShares, oldShares, priceAfter, reason, symbolAfter } = change
  if (reason === 'split' && newShares !== null && oldShares !== null)
    return { kind: 'split', symbol, newShares, oldShares, day }
  if (reason === 'price' && corrected !== null && priceAfter !== null)
    return {
      kind: 'corrected',
      symbol,
      end: corrected,
      price: plain(priceAfter),
      reasonHash: hashOf(explained),
    }
  if (reason === 'struck') return { kind: 'struck', symbol, reasonHash: hashOf(explained) }
  if (reason === 'renamed' && symbolAfter !== null) return { kind: 'renamed', symbol, symbolAfter, day }
  throw new Error(`a ${reason} that is not whole`)
}

/** The ticker under which the event was published: a later renaming names the one before. */
function symbolAt({ eventNo, symbol }: EventRow, changes: readonly Change[]): string {
  const later = changes.find((change) => change.symbolBefore !== null && (change.eventNo ?? 0) >= eventNo)
  return later?.symbolBefore ?? symbol
}

/** Decimal text without trailing zeros. */
function plain(price: string): string {
  return new Big(price).toFixed()
}

function instant(at: Date | null): string {
  return at?.toISOString() ?? ''
}

function hashOf(text: string | null): string {
  return hash('sha256', text ?? '', 'base64')
}
