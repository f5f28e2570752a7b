import { toHex } from './bytes.ts'

/** The checks of an auditor, and the sentence of each. The first sixteen and the last look at a log, the others at something that somebody holds. */
export const CHECKS = {
  A1: 'the log did not sign this',
  A2: 'witnesses refuse',
  A3: 'shorter than before',
  A4: 'two roots of one size',
  A5: 'does not go on what was signed before',
  A6: 'the leaves are not those of the root',
  A7: 'a number of a record is missing or out of order',
  A8: 'the chain of a record is broken',
  A9: 'ends or changes a position that was not open',
  A10: 'the count of open positions is wrong',
  A11: 'back-dated',
  A12: 'post-dated',
  A13: 'the shown text is not what was committed to',
  A14: 'a text that has to be public is not shown',
  A15: 'open positions are hidden or invented',
  A16: 'closed positions are hidden or invented',
  A17: 'the receipt is false',
  A18: 'the leaf of the receipt is not at its place',
  A19: 'the site shows another text than the mail',
  A20: 'a record of a mail has vanished',
  A21: 'a position of a mail is not shown',
  A22: 'the price of a mail is shown otherwise',
  A23: 'the instant of a mail is shown otherwise',
  A24: 'a key counts that no entry announced',
} as const

export type Check = keyof typeof CHECKS

/** Something that an honest log never shows. */
export type Finding = {
  check: Check
  /** The leaf. */
  index?: number
  /** The id of the trader's record in hexadecimal. */
  record?: string
  /** A sentence for people. */
  words: string
}

/** @param words details behind the sentence of the check */
export function finding(
  check: Check,
  words: string,
  { index, record }: { index?: number; record?: Uint8Array | string } = {},
): Finding {
  return {
    check,
    words: `${words}: ${CHECKS[check]}.`,
    ...(index === undefined ? {} : { index }),
    ...(record === undefined ? {} : { record: typeof record === 'string' ? record : toHex(record) }),
  }
}
