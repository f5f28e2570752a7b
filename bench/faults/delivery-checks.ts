import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { CountingSink } from '../../server/test/mails/counting-sink.ts'
import type { Scenario } from './delivery-scenario.ts'

/** Resolves when every follower has the mail of each event. */
export async function everybodyNotified(scenario: Scenario, events = 1): Promise<void> {
  await scenario.sink.until(() => scenario.sink.byMessageId.size === scenario.followers.length * events)
  await allRangesDone(scenario)
}

/** The record of the last mails follows the mails by a moment; then it must show that nothing is left. */
export async function allRangesDone(scenario: Scenario): Promise<void> {
  const open = 'select count(*) from delivery_ranges where done_at is null'
  for (let look = 0; look < 100 && (await scenario.ask(open)) > 0; look += 1) await pause(50)
  assert.equal(await scenario.ask(open), 0, 'ranges are left open')
}

/** Invariants I1 and I2: everybody who is owed a mail got it, nobody else did, and repeats stay within their bound. */
export async function checkExactlyOnce(
  scenario: Scenario,
  repeats: number,
  { except = new Set<string>(), events = 1 } = {},
): Promise<void> {
  const { sink, followers } = scenario
  const owed = followers.filter((address) => !except.has(address))
  assert.deepEqual(
    [...sink.byRecipient.keys()].sort(),
    owed.sort(),
    'somebody was left out, or told in error',
  )
  assert.equal(sink.byMessageId.size, owed.length * events)
  assert.ok(sink.repeats() <= repeats, `${sink.repeats()} mails were repeated, at most ${repeats} may be`)
  const whole = `select count(*) from mail_plans where audience_size = ${followers.length}`
  assert.equal(await scenario.ask(whole), events)
}

export function timesOf(sink: CountingSink): { first: number; last: number } {
  const { first, last } = sink.times
  assert.ok(first !== null && last !== null)
  return { first, last }
}

export function print(figures: Record<string, number | null>): void {
  for (const [name, figure] of Object.entries(figures)) console.log(`   ${name}: ${figure}`)
}
