import { expect, test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { connectWithBackOff } from './smtp-with-back-off.ts'

const NOWHERE = 'smtp://127.0.0.1:9'
const trust = { given: true, withdraw() {} }

test('pauses after a lost mail server grow from a quarter of a second to four, a half of each by chance', () => {
  const smtp = connectWithBackOff({ smtpUrl: NOWHERE, clock: makeTestClock(TEST_NOW), trust })
  expect(smtp.pause()).toBe(0)
  for (const longest of [250, 500, 1000, 2000, 4000, 4000, 4000]) {
    smtp.failed()
    expect(smtp.pause()).toBeGreaterThanOrEqual(longest / 2)
    expect(smtp.pause()).toBeLessThanOrEqual(longest)
  }
  smtp.worked(true)
  expect(smtp.pause()).toBe(0)
})
