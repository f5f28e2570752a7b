import { type EntryText, readEntryText } from './entry-text.ts'
import { LEAF_FLAGS } from './leaf.ts'
import type { CheckedReceipt, RefusedReceipt } from './receipt.ts'

/** Sentences about receipts, for people. */

const DATE = new Intl.DateTimeFormat('en-US', {
  ...{ month: 'short', day: 'numeric', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  ...{ hourCycle: 'h23', timeZone: 'UTC' },
})

/** @param ms since 1970; an instant that no calendar has, which only a false log writes, stays a number */
export const inWords = (ms: number): string =>
  Number.isNaN(new Date(ms).getTime()) ? String(ms) : `${DATE.format(ms)} UTC`

/** @param site the host whose record it is */
export function wordsOfReceipt(
  { leaf, text, index, size, signedAt, witnesses }: CheckedReceipt,
  site: string,
) {
  const isImported = (leaf.flags & LEAF_FLAGS.imported) !== 0
  const since = isImported ? `; it is from before the record began` : ` since ${inWords(signedAt * 1000)}`
  const entry = readEntryText(text)
  const signers =
    witnesses.length === 0 ? 'No witness signed it.' : `Witnesses signed it too: ${witnesses.join(', ')}.`
  return [
    `This mail is part of the public record of ${site}${since}.`,
    ...(leaf.seq === 0
      ? []
      : [
          leaf.open === 1
            ? '1 position of this trader was open then.'
            : `${leaf.open} positions of this trader were open then.`,
        ]),
    `It says: ${entry ? wordsOfEntry(entry) : text}.`,
    `Leaf ${index} of ${size}, of ${inWords(leaf.at)}. ${signers}`,
  ].join('\n')
}

function wordsOfEntry(entry: EntryText): string {
  switch (entry.kind) {
    case 'opened':
    case 'closed':
    case 'settled':
      return `${entry.kind} ${entry.symbol}${wordsOfPrice(entry)}`
    case 'split':
      return `${entry.symbol} split ${entry.newShares}:${entry.oldShares} on ${entry.day}`
    case 'corrected':
      return `the price at the ${entry.end} of ${entry.symbol} was set to ${entry.price} USD`
    case 'struck':
      return `the position in ${entry.symbol} was struck`
    case 'renamed':
      return `${entry.symbol} is ${entry.symbolAfter} from ${entry.day} on`
    case 'erased':
      return 'the record was erased'
    case 'key':
      return `a new key signs from ${entry.day} on`
    case 'marks':
      return `closing prices of ${entry.day}`
  }
}

/** A delisting has no price yet, and of entries from before the log began nobody may know when theirs was quoted. */
function wordsOfPrice({ price, quotedAt }: { price: string; quotedAt: string }): string {
  const at = Number.isNaN(Date.parse(quotedAt)) ? quotedAt : inWords(Date.parse(quotedAt))
  return `${price === '' ? '' : ` at ${price} USD`}${at === '' ? '' : `, quoted ${at}`}`
}

export const WORDS_OF_REFUSAL: Readonly<Record<RefusedReceipt, string>> = {
  unreadable: 'This is no whole receipt. The link may have been cut or changed on its way.',
  other_text: 'This receipt is false: its text is not the one that was committed to.',
  not_in_tree: 'This receipt is false: its leaf is at no place of the record.',
  not_signed: 'This receipt is false: the record’s key did not sign it.',
  too_few_witnesses: 'Fewer witnesses signed this receipt than are asked for.',
}
