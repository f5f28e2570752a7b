/**
 * The text that a leaf commits to: a JSON array of strings. It is written once and kept; everybody else hashes the bytes they were given, for
 * two programs may write one array differently.
 */

/** Prices are US dollars as decimal text without trailing zeros; instants ISO 8601 UTC with milliseconds; days as `2026-11-26`; hashes SHA-256 in base64. */
export type EntryText =
  | { kind: 'opened'; symbol: string; price: string; quotedAt: string; hold: string; notesHash: string }
  | { kind: 'closed'; symbol: string; price: string; quotedAt: string; notesHash: string }
  | { kind: 'split'; symbol: string; newShares: number; oldShares: number; day: string }
  | { kind: 'settled'; symbol: string; price: string; quotedAt: string }
  | { kind: 'corrected'; symbol: string; end: 'open' | 'close'; price: string; reasonHash: string }
  | { kind: 'struck'; symbol: string; reasonHash: string }
  | { kind: 'renamed'; symbol: string; symbolAfter: string; day: string }
  | { kind: 'erased' }
  | { kind: 'key'; verifierKey: string; day: string }
  | { kind: 'marks'; day: string; fileHash: string }

const CURRENCY = 'USD'

export function writeEntryText(entry: EntryText): string {
  return JSON.stringify(partsOf(entry))
}

function partsOf(entry: EntryText): string[] {
  switch (entry.kind) {
    case 'opened':
      return ['opened', entry.symbol, entry.price, CURRENCY, entry.quotedAt, entry.hold, entry.notesHash]
    case 'closed':
      return ['closed', entry.symbol, entry.price, CURRENCY, entry.quotedAt, '', entry.notesHash]
    case 'split':
      return ['adjusted', entry.symbol, 'split', `${entry.newShares}:${entry.oldShares}`, entry.day]
    case 'settled':
      return ['adjusted', entry.symbol, 'settled', entry.price, CURRENCY, entry.quotedAt]
    case 'corrected':
      return ['adjusted', entry.symbol, 'price', entry.end, entry.price, entry.reasonHash]
    case 'struck':
      return ['adjusted', entry.symbol, 'struck', entry.reasonHash]
    case 'renamed':
      return ['adjusted', entry.symbol, 'renamed', entry.symbolAfter, entry.day]
    case 'erased':
      return ['erased']
    case 'key':
      return ['key', entry.verifierKey, entry.day]
    case 'marks':
      return ['marks', entry.day, entry.fileHash]
  }
}

/** @returns null for a text that `writeEntryText` does not write */
export function readEntryText(text: string): EntryText | null {
  const parts = readParts(text)
  const entry = parts && entryOf(parts)
  return entry && writeEntryText(entry) === text ? entry : null
}

function readParts(text: string): string[] | null {
  try {
    const parts: unknown = JSON.parse(text)
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : null
  } catch {
    return null
  }
}

function entryOf([kind, ...parts]: string[]): EntryText | null {
  const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = parts
  if (kind === 'opened')
    return { kind, symbol: first, price: second, quotedAt: fourth, hold: fifth, notesHash: sixth }
  if (kind === 'closed') return { kind, symbol: first, price: second, quotedAt: fourth, notesHash: sixth }
  if (kind === 'erased') return { kind }
  if (kind === 'key') return { kind, verifierKey: first, day: second }
  if (kind === 'marks') return { kind, day: first, fileHash: second }
  return kind === 'adjusted' ? changeOf(first, second, [third, fourth, fifth]) : null
}

function changeOf(
  symbol: string,
  change: string,
  [first, second, third]: [string, string, string],
): EntryText | null {
  if (change === 'settled') return { kind: 'settled', symbol, price: first, quotedAt: third }
  if (change === 'struck') return { kind: 'struck', symbol, reasonHash: first }
  if (change === 'renamed') return { kind: 'renamed', symbol, symbolAfter: first, day: second }
  if (change === 'price' && (first === 'open' || first === 'close'))
    return { kind: 'corrected', symbol, end: first, price: second, reasonHash: third }
  const [, newShares = '', oldShares = ''] = /^([1-9]\d*):([1-9]\d*)$/.exec(first) ?? []
  if (change !== 'split' || newShares === '') return null
  return { kind: 'split', symbol, newShares: Number(newShares), oldShares: Number(oldShares), day: second }
}
