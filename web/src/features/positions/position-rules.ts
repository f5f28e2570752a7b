import { refusalMessage } from '@tradepost/contract/errors'
import { checkNotes, isTooLowToOpen, NOTES_MIN_LENGTH } from '@tradepost/contract/limits'
import type { PricePreview } from '@tradepost/contract/quotes'

export type OpenDraft = {
  ticker: string
  /** A hold length, empty until chosen. */
  positionLength: string
  openNotes: string
  /** "I understand that I cannot close this position on the same day". */
  understood: boolean
}

/** Notes that are long enough; too long ones are the server's to refuse (docs/specification.md section 5, rule G-13). */
function areNotesLongEnough(notes: string): boolean {
  return checkNotes(notes) !== 'notes_too_short'
}

/** One of the things that have to be there before a position is opened or closed. */
export type Requirement = {
  /** In the list of what is still missing. */
  label: string
  /** The way to meet it: why the button is disabled. */
  ask: string
  done: boolean
}

const NOTES_REQUIREMENT = {
  label: `Notes of ${NOTES_MIN_LENGTH} characters or more`,
  ask: `Write notes of at least ${NOTES_MIN_LENGTH} characters.`,
}

const CHECK_FIRST = 'Enter a ticker and check its price.'
const CHECK_AGAIN = 'Check the price again, or another ticker.'

/** Whether a failed price check speaks of the ticker, not of the market or the provider. @param error its sentence @param symbol what was asked */
export function isAboutTicker(error: string | null, symbol: string): boolean {
  return (
    error === refusalMessage('symbol_not_found', { symbol }) || error === refusalMessage('symbol_invalid')
  )
}

/** The six of docs/specification.md section 4: preview, length, notes, checkbox, open market, username. */
export function openRequirements(
  draft: OpenDraft,
  state: { preview: PricePreview | null; checkFailed: boolean; marketOpen: boolean; username: string },
): Requirement[] {
  const { preview } = state
  const tooLow = preview !== null && isTooLowToOpen(preview.price)
  return [
    { label: 'Your username', ask: 'Set up a username first.', done: state.username !== '' },
    { label: 'An open market', ask: 'The market is closed.', done: state.marketOpen },
    {
      label: 'A checked price',
      ask: tooLow ? refusalMessage('price_too_low') : state.checkFailed ? CHECK_AGAIN : CHECK_FIRST,
      done: preview !== null && !tooLow,
    },
    {
      label: 'A planned hold',
      ask: 'Choose how long you plan to hold it.',
      done: draft.positionLength !== '',
    },
    { ...NOTES_REQUIREMENT, done: areNotesLongEnough(draft.openNotes) },
    {
      label: 'The same-day rule, confirmed',
      ask: 'Confirm that you cannot close on the same day.',
      done: draft.understood,
    },
  ]
}

/**
 * The requirements of close mode: a preview with a price, a later day and notes (docs/specification.md section 5); not an open market.
 */
export function closeRequirements(
  closeNotes: string,
  state: { preview: PricePreview | null; laterDay: boolean },
): Requirement[] {
  const hasPrice = state.preview !== null && state.preview.price !== ''
  return [
    { label: 'A later day', ask: 'Wait for the next day, in UTC.', done: state.laterDay },
    { label: 'A checked price', ask: 'Check the price.', done: hasPrice },
    { ...NOTES_REQUIREMENT, done: areNotesLongEnough(closeNotes) },
  ]
}

/** Why a button is disabled: the first thing that is missing; null when nothing is. */
export function firstMissing(requirements: readonly Requirement[]): string | null {
  return requirements.find(({ done }) => !done)?.ask ?? null
}

/** Why Check Price is disabled: it needs a ticker and a username (docs/specification.md section 5). Null when it is not. */
export function whyNoPriceCheck(ticker: string, username: string): string | null {
  if (username === '') return 'Set up a username first.'
  return ticker.trim() === '' ? 'Enter a ticker first.' : null
}
