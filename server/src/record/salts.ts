import { createHmac } from 'node:crypto'
import { SALT_BYTES } from '@tradepost/record/leaf'

/** The salt of a record's entry: who has it can show what the entry says. Gone with its key. @param seq number of the entry in its record */
export function saltOf(saltKey: Buffer, seq: number): Uint8Array {
  return new Uint8Array(createHmac('sha256', saltKey).update(`salt ${seq}`).digest())
}

/** Entries of the log itself, and those of an erasure, say nothing that is anybody's own. */
export const NO_SALT = new Uint8Array(SALT_BYTES)
