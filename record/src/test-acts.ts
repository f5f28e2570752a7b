import { type EntryText, writeEntryText } from './entry-text.ts'
import type { Leaf } from './leaf.ts'

/** Histories of three traders, for tests: acts before they are leaves. */

/** One act; `open` follows from those before it. */
export type Act = Pick<Leaf, 'kind' | 'hold' | 'flags' | 'seqOfOpening' | 'at'> & {
  trader: string | null
  /** As written: an attack changes it by the letter. */
  text: string
}

const HOUR_MS = 3_600_000
const BEGINNING = Date.UTC(2026, 0, 5, 15)
const NOTES = 'rzIfl7H2SdQVmvNDOTSu4AqOUjSZM5JxAVOzoXsULVI='
const SYMBOLS = ['NVDA', 'AAPL', 'MSFT', 'ORCL', 'F', 'TSLA', 'AMD']
export const TRADERS = ['alice', 'bob', 'carol']
const IMPORTED = 6

type Drawn = { seq: number; symbol: string; state: 'open' | 'closed' | 'struck' }

/** Writes acts that a server could have written. */
export function actsWriter() {
  const acts: Act[] = []
  const seqs = new Map<string | null, number>()
  const positions = new Map<string, Drawn[]>()
  let at = BEGINNING

  const write = (trader: string | null, kind: Act['kind'], entry: EntryText, more: Partial<Act> = {}) => {
    const seq = (seqs.get(trader) ?? 0) + 1
    seqs.set(trader, seq)
    const flags = acts.length < IMPORTED ? 4 : 0
    acts.push({ trader, kind, hold: 0, seqOfOpening: 0, at, text: writeEntryText(entry), flags, ...more })
    return seq
  }
  const of = (trader: string, ...states: Drawn['state'][]) =>
    (positions.get(trader) ?? []).filter(({ state }) => states.includes(state))
  const facts = (choice: number) => ({ price: String(10 + (choice % 9000) / 10), quotedAt: iso(at - 900) })

  function open(trader: string, choice: number) {
    const symbol = SYMBOLS[choice % SYMBOLS.length] ?? 'F'
    const hold = 1 + (choice % 5)
    const entry: EntryText = {
      kind: 'opened',
      symbol,
      ...facts(choice),
      hold: `hold ${hold}`,
      notesHash: NOTES,
    }
    const seq = write(trader, 'opened', entry, { hold })
    positions.set(trader, [...(positions.get(trader) ?? []), { seq, symbol, state: 'open' }])
  }
  function close(trader: string, choice: number, flags: 0 | 2 = 0) {
    const position = pick(of(trader, 'open'), choice)
    if (!position) return open(trader, choice)
    position.state = 'closed'
    const entry: EntryText = { kind: 'closed', symbol: position.symbol, ...facts(choice), notesHash: NOTES }
    write(trader, 'closed', entry, {
      seqOfOpening: position.seq,
      ...(acts.length < IMPORTED ? {} : { flags }),
    })
  }
  function change(trader: string, choice: number) {
    const position = pick(of(trader, 'open', 'closed'), choice)
    if (!position) return open(trader, choice)
    const { symbol, seq } = position
    const { price, quotedAt } = facts(choice)
    const entries: EntryText[] = [
      { kind: 'split', symbol, newShares: 10, oldShares: 1, day: '2026-06-10' },
      { kind: 'settled', symbol, price, quotedAt },
      { kind: 'corrected', symbol, end: 'open', price, reasonHash: NOTES },
      { kind: 'renamed', symbol, symbolAfter: 'META', day: '2026-06-09' },
      { kind: 'struck', symbol, reasonHash: NOTES },
    ]
    const entry = entries[choice % 5] ?? { kind: 'erased' }
    if (entry.kind === 'struck') position.state = 'struck'
    write(trader, 'adjusted', entry, { seqOfOpening: seq })
  }
  /** One step of a history, drawn by a number. */
  function draw(choice: number) {
    at += HOUR_MS * (1 + (choice % 30))
    const trader = TRADERS[choice % 3] ?? 'alice'
    const rest = Math.floor(choice / 3)
    const act = rest % 10
    if (act < 4) open(trader, rest)
    else if (act < 7) close(trader, rest)
    else if (act < 9) change(trader, Math.floor(rest / 10))
    else if (rest % 3 === 0) close(trader, rest, 2)
    else if (rest % 3 === 1) write(null, 'marks', { kind: 'marks', day: '2026-06-10', fileHash: NOTES })
    else write(null, 'key', { kind: 'key', verifierKey: 'a+00000000+AA', day: '2026-06-11' })
  }
  const erase = (trader: string) => write(trader, 'erased', { kind: 'erased' })
  return { acts, draw, open, close, erase, of }
}

export const iso = (ms: number): string => new Date(ms).toISOString()

function pick<Item>(items: readonly Item[], choice: number): Item | undefined {
  return items[choice % items.length]
}

/** A history of so many steps, the same each time; it ends with an opening of carol, a close of bob and an opening of alice. */
export function longHistory(steps: number): Act[] {
  const writer = actsWriter()
  let state = 20_261_128
  for (let step = 0; step < steps; step++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    writer.draw(Math.floor(state / 64))
  }
  writer.open('carol', 3)
  writer.close('bob', 5)
  writer.open('alice', 7)
  return writer.acts
}
