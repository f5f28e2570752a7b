import { readEntryText } from '@tradepost/record/entry-text'
import { LEAF_FLAGS } from '@tradepost/record/leaf'
import type { CheckedReceipt } from '@tradepost/record/receipt'
import type { Comparison } from './compare-heads.ts'
import type { Judged } from './judge.ts'

/** `good`: proven; `open`: neither proven nor disproven; `bad`: false, or proof against us. */
export type Colour = 'good' | 'open' | 'bad'

const INSTANT = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const NUMBER = new Intl.NumberFormat('en-US')

/** @param ms since 1970; an instant that no calendar has stays a number @returns as `Nov 26, 2026, 15:02 UTC` */
const sayInstant = (ms: number): string =>
  Number.isNaN(new Date(ms).getTime()) ? String(ms) : `${INSTANT.format(ms)} UTC`

const sayNumber = (value: number): string => NUMBER.format(value)

const REFUSED = {
  no_keys: ['open', 'This installation has no public record yet, so there is nothing to check this against.'],
  no_ed25519: [
    'open',
    'This browser cannot check signatures of this kind. Use a newer one, or the program verify.mjs: nothing is said about this mail here.',
  ],
  unknown_signer: ['open', 'Nobody whom this page knows has signed this. It proves nothing.'],
  too_few_witnesses: [
    'open',
    'This is signed by Tradepost, but by fewer witnesses than this record asks for.',
  ],
  unreadable: ['bad', 'This is no complete receipt: it was changed, or cut on its way. It proves nothing.'],
  other_text: ['bad', 'This receipt was changed: its text is not the one that was recorded.'],
  not_in_tree: ['bad', 'This receipt was changed: it fits no place of the record.'],
  not_signed: ['bad', 'This was never signed as it is: the mail was changed, or it is not from Tradepost.'],
} as const satisfies Record<string, readonly [Colour, string]>

/** The answer in a sentence or two. */
export function sayVerdict(judged: Judged): { colour: Colour; sentence: string } {
  if (judged.verdict !== 'true' && judged.verdict !== 'imported') {
    const [colour, sentence] = REFUSED[judged.verdict]
    return { colour, sentence }
  }
  const { leaf, signedAt } = judged.checked
  const since = sayInstant(signedAt * 1000)
  if (judged.verdict === 'imported')
    return {
      colour: 'open',
      sentence: `This was imported when the record began. That it stands there unchanged is proven since ${since}, and nothing about the time before.`,
    }
  const isOfTrader = leaf.kind !== 'key' && leaf.kind !== 'marks'
  const sentence = `This mail is part of Tradepost’s public record since ${since}.`
  return { colour: 'good', sentence: isOfTrader ? `${sentence} ${sayOpen(leaf.open)}` : sentence }
}

function sayOpen(open: number): string {
  if (open === 0) return 'No position of this trader was open then.'
  const [count, was] = open === 1 ? ['1 position', 'was'] : [`${sayNumber(open)} positions`, 'were']
  return `${count} of this trader ${was} open then.`
}

/** The entry in words: a reader compares it with the mail. */
export function sayEntry(text: string): string {
  const entry = readEntryText(text)
  if (entry === null) return text
  switch (entry.kind) {
    case 'opened':
      return `Opened ${entry.symbol} at ${entry.price} USD${sayQuoted(entry)}, planned for ${entry.hold.replaceAll('_', ' ')}.`
    case 'closed':
      return `Closed ${entry.symbol}${entry.price === '' ? '' : ` at ${entry.price} USD`}${sayQuoted(entry)}.`
    case 'split':
      return `${entry.symbol} was split on ${entry.day}: ${entry.newShares} shares for ${entry.oldShares}.`
    case 'settled':
      return `The close of ${entry.symbol} was settled at ${entry.price} USD.`
    case 'corrected':
      return `The ${entry.end} price of ${entry.symbol} was corrected to ${entry.price} USD.`
    case 'struck':
      return `The position in ${entry.symbol} was struck.`
    case 'renamed':
      return `${entry.symbol} is called ${entry.symbolAfter} since ${entry.day}.`
    case 'erased':
      return 'The trader had their account erased.'
    case 'key':
      return `A new key signs the record from ${entry.day}.`
    case 'marks':
      return `The closing prices of ${entry.day}.`
  }
}

/** Of entries from before the log began nobody may know it any more. */
function sayQuoted({ quotedAt }: { quotedAt: string }): string {
  const at = Date.parse(quotedAt)
  return quotedAt === '' ? '' : `, a price of ${Number.isNaN(at) ? quotedAt : sayInstant(at)}`
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The contents of a receipt, as pairs of a name and a value. `isCode` marks values that no translation may change. */
export function sayFacts({ index, leaf, root, signedAt, size, text, witnesses }: CheckedReceipt) {
  const facts: { name: string; value: string; isCode?: boolean }[] = [
    { name: 'Place', value: `Leaf ${sayNumber(index)} of ${sayNumber(size)}` },
    { name: 'Time of the event', value: sayInstant(leaf.at) },
    { name: 'Signed by the log', value: sayInstant(signedAt * 1000) },
    { name: 'Witnesses', value: witnesses.length > 0 ? witnesses.join(', ') : 'None signed this receipt' },
    { name: 'Text', value: text, isCode: true },
    { name: 'Trader’s record', value: hex(leaf.record), isCode: true },
    { name: 'Number in that record', value: sayNumber(leaf.seq) },
    { name: 'Root of the tree', value: hex(root), isCode: true },
  ]
  const acts = [
    leaf.flags & LEAF_FLAGS.operator ? 'an act of the operator' : '',
    leaf.flags & LEAF_FLAGS.override ? 'the hours of the market were forced' : '',
  ].filter(Boolean)
  if (acts.length > 0) facts.push({ name: 'Remarks', value: acts.join(', ') })
  return facts
}

export const CONVICTION =
  'Tradepost signed two records that contradict each other. Keep the evidence: it convicts without anybody’s word.'

/** The result of the comparison with the present record showed. */
export function sayComparison(comparison: Comparison): { colour: Colour; sentence: string } {
  switch (comparison.outcome) {
    case 'continued': {
      const { signedAt, size, witnesses } = comparison.today
      const by = witnesses.length === 1 ? '1 witness' : `${witnesses.length} witnesses`
      const state = `${sayNumber(size)} entries, signed ${sayInstant(signedAt * 1000)}, ${by}`
      return { colour: 'good', sentence: `Today’s record still has it, unchanged: ${state}.` }
    }
    case 'unreachable':
      return {
        colour: 'open',
        sentence: 'The record of today could not be asked. What stands above holds without it.',
      }
    case 'unsigned':
      return {
        colour: 'bad',
        sentence: 'What this server shows as its record is not signed by the keys of this page.',
      }
    case 'unproven':
      return {
        colour: 'open',
        sentence: `The server did not prove that its record of ${sayNumber(comparison.today.size)} entries goes on from that of ${sayNumber(comparison.head.size)}. Try again later, and keep the mail.`,
      }
    case 'contradicted':
      return { colour: 'bad', sentence: CONVICTION }
  }
}
