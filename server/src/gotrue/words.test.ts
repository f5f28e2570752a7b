import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REFUSALS } from '@tradepost/contract/errors'
import { expect, test } from 'vitest'
import { WIRE_ANSWERS, WIRE_ERRORS } from './wire-error.ts'

const SERVER = join(import.meta.dirname, '..')

/** Codes that GoTrue alone has: others mean the same in our own terms, or are the product API's. */
const ITS_OWN = Object.keys(WIRE_ERRORS).filter((code) => !(code in REFUSALS) && !(code in WIRE_ANSWERS))

/** @returns GoTrue's words that a text contains, as code or in a comment */
function wordsIn(text: string): string[] {
  return ITS_OWN.filter((code) => new RegExp(`['\`]${code}['\`]`).test(text))
}

test('nothing of the server but gotrue/ names GoTrue’s codes', () => {
  const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('gotrue/'),
  )
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((file) =>
    wordsIn(readFileSync(join(SERVER, file), 'utf8')).map((word) => `${file}: ${word}`),
  )
  expect(found).toEqual([])
  expect(wordsIn("throw wireError('otp_expired')")).toEqual(['otp_expired'])
  expect(wordsIn('@throws `user_banned`')).toEqual(['user_banned'])
})
