import * as z from 'zod/mini'
import { limited } from './limited.ts'

/**
 * A word of an answer that a page shows as it is written where it does not know it: a page that is older than the server goes
 * on with one word more, and would lose the whole answer with a closed list.
 * @param known all that there are today, which the API's document lists
 */
export function shownAsWritten(known: readonly string[]) {
  return limited(z.string(), { enum: known })
}

/** `one_day` as people read it where nothing better is known: "one day". */
export function asWritten(word: string): string {
  return word.replaceAll('_', ' ')
}
