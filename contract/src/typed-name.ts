import { seenText } from './seen-text.ts'

/**
 * A username out of a text typed or pasted for a look-up: as a person sees it, without the `@` that mails and pages write before it.
 * @returns a text that may be no username; in the case it was typed in
 */
export function readUsername(typed: string): string {
  return seenText(typed).replace(/^@+\s*/, '')
}
