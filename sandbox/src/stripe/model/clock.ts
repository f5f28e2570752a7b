import { fields, nullable, number, type Of, oneOf, optional, text } from '../shape/shape.ts'
import { stored } from './stored.ts'

/** A separate clock for some customers (docs.stripe.com/billing/testing/test-clocks). */
export const testClock = stored('test_helpers.test_clock', {
  created: number,
  deletes_after: number,
  /** Where the clock stands, in seconds; while it advances, where it has come to. */
  frozen_time: number,
  name: nullable(text),
  status: oneOf('ready', 'advancing'),
  status_details: fields({ advancing: optional(fields({ target_frozen_time: number })) }),
})
export type TestClock = Of<typeof testClock>
