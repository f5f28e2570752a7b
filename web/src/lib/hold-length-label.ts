import { HOLD_LENGTH_LABELS, isHoldLength } from '@tradepost/contract/hold-length'
import { asWritten } from '@tradepost/contract/shown-as-written'
import { noteNewerVersion } from './newer-version.ts'

/** A hold length in words; one of a newer version as it is written. */
export function holdLengthLabel(holdLength: string): string {
  if (isHoldLength(holdLength)) return HOLD_LENGTH_LABELS[holdLength]
  noteNewerVersion()
  return asWritten(holdLength)
}
