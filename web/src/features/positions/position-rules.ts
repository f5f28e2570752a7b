import { checkNotes } from '@tradepost/contract/limits'
import type { PricePreview } from '@tradepost/contract/quotes'

export type OpenDraft = {
  ticker: string
  /** A hold length, empty until chosen. */
  positionLength: string
  openNotes: string
  /** "I understand that I cannot close this position on the same day". */
  understood: boolean
}

/** Notes that are long enough; too long ones are the server's to refuse (docs/specification.md section 5, decision G-13). */
function areNotesLongEnough(notes: string): boolean {
  return checkNotes(notes) !== 'notes_too_short'
}

/** Check Price needs a ticker and a username (docs/specification.md section 5). */
export function canCheckPrice(ticker: string, username: string): boolean {
  return ticker.trim() !== '' && username !== ''
}

/** Open Position needs all six of docs/specification.md section 4: preview, length, notes, checkbox, open market, username. */
export function canOpenPosition(
  draft: OpenDraft,
  state: { preview: PricePreview | null; marketOpen: boolean; username: string },
): boolean {
  return (
    state.preview !== null &&
    draft.positionLength !== '' &&
    areNotesLongEnough(draft.openNotes) &&
    draft.understood &&
    state.marketOpen &&
    state.username !== ''
  )
}

/**
 * Submit of close mode needs a preview with a price, a later day and notes (docs/specification.md section 5); not an open
 * market.
 */
export function canClosePosition(
  closeNotes: string,
  state: { preview: PricePreview | null; laterDay: boolean },
): boolean {
  return (
    state.preview !== null && state.preview.price !== '' && state.laterDay && areNotesLongEnough(closeNotes)
  )
}
