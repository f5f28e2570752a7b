import { invalid } from '../refusals/errors.ts'
import { isPlainObject } from '../shape/plain-object.ts'

const MOST_KEYS = 50
const LONGEST_KEY = 40
const LONGEST_VALUE = 500

/**
 * Metadata after an update: keys given are set, an empty value deletes its key, an empty whole deletes all
 * (docs.stripe.com/api/metadata).
 */
export function mergeMetadata(
  old: Record<string, string> | null,
  given: unknown,
  path = 'metadata',
): Record<string, string> {
  if (given === undefined) return old ?? {}
  if (!isPlainObject(given)) return {}
  const result = { ...old }
  for (const [key, value] of Object.entries(given)) {
    const text = value === null ? '' : String(value)
    if (key.length > LONGEST_KEY || /[[\]]/.test(key))
      throw invalid(
        `Metadata keys must be ${LONGEST_KEY} characters or less and hold no square brackets.`,
        path,
      )
    if (text.length > LONGEST_VALUE)
      throw invalid(
        `Metadata values can have up to ${LONGEST_VALUE} characters, but you passed in a value that is ${text.length} characters. Invalid value: ${text.slice(0, 20)}…`,
        `${path}[${key}]`,
      )
    if (text === '') delete result[key]
    else result[key] = text
  }
  if (Object.keys(result).length > MOST_KEYS)
    throw invalid(`You can have up to ${MOST_KEYS} keys in metadata.`, path)
  return result
}
