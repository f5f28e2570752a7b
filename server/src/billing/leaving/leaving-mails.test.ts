import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Hold, startLeavingScenario } from '../../../test/money/leaving-scenario.ts'
import { takeMails } from '../../../test/run-outbox.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeFollower, pass, sandbox, stripe, testApp } = scenario
const { clock } = testApp

beforeEach(() => scenario.toNextMonth())

/** The text of mails, without its line breaks. */
const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')

/** Mails of a kind to the two sides of a subscription that were not looked at yet, the follower's first. */
async function mailsOf(kind: Parameters<typeof takeMails>[1][number], { person, trader }: Hold) {
  const mails = await takeMails(testApp, [kind])
  return [person, trader].flatMap(({ email }) =>
    mails.filter(({ to }) => to === email).map(({ subject, text }) => ({ subject, text: inOneLine(text) })),
  )
}

test('the mail of a withdrawal says by when nothing was published, which is when its amount was shown', async () => {
  const hold = await makeFollower()
  await pass(5)
  clock.set(new Date(Math.floor(clock.now().getTime() / 1000) * 1000))
  const shown = await hold.leaving()
  clock.advance(9 * 60_000)
  await hold.publish()
  expect(await hold.withdraw({ asOf: shown.asOf })).toMatchObject({ body: { returnsCents: 1250 } })
  const at = new Date(String(shown.asOf))
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(at)
  const by = `by ${day}, ${at.toISOString().slice(11, 19)} UTC`
  const [toFollower, toTrader] = await mailsOf('subscription_withdrawn', hold)
  expect(toFollower?.text).toContain(
    `You get back your whole payment of $12.50, since ${by} nothing was published in the time that you paid for.`,
  )
  expect(toTrader?.text).toContain(
    `They get back their whole payment of $12.50, since ${by} you had published nothing in the time that was paid.`,
  )
})

test('a whole payment and a part are called the same in each mail of money that goes back', async () => {
  const [used, unused, lost, whole] = [
    await makeFollower(),
    await makeFollower(),
    await makeFollower(),
    await makeFollower(),
  ]
  await used.publish()
  expect((await unused.withdraw()).status).toBe(200)
  expect((await mailsOf('subscription_withdrawn', unused))[0]?.text).toContain('your whole payment of $12.50')
  // Within a second of the payment the part for all days is the whole.
  clock.advance(1)
  expect(await used.withdraw()).toMatchObject({ body: { returnsCents: 1250 } })
  const [toFollower, toTrader] = await mailsOf('subscription_withdrawn', used)
  expect(toFollower?.text).toContain('You get back your whole payment of $12.50, with no day of it used.')
  expect(toTrader?.text).toContain('They get back their whole payment of $12.50, with no day of it used.')

  await sandbox.control('close', { id: whole.trader.account })
  await scenario.settle()
  expect((await mailsOf('trader_unavailable', whole))[0]?.text).toContain(
    'You get back your whole payment of $12.50',
  )
  await lost.publish()
  await pass(4)
  await sandbox.control('close', { id: lost.trader.account })
  await scenario.settle()
  expect((await mailsOf('trader_unavailable', lost))[0]?.text).toContain(
    'You get back $10.89 of your payment of $12.50, the part for the 27 days left, to the card that paid it.',
  )
  const part = await makeFollower()
  await part.publish()
  await pass(4)
  expect((await part.withdraw()).status).toBe(200)
  expect((await mailsOf('subscription_withdrawn', part))[0]?.text).toContain(
    'You get back $10.89 of your payment of $12.50, the part for the 27 days left.',
  )
})

test('a cancellation that is taken back has a mail of its own, once, and the next one is acknowledged again', async () => {
  const hold = await makeFollower()
  const subjects = async (kind: Parameters<typeof takeMails>[1][number]) =>
    (await mailsOf(kind, hold)).map(({ subject }) => subject)
  await hold.cancel()
  await scenario.settle()
  expect(await subjects('subscription_canceled')).toHaveLength(1)
  clock.advance(1000)
  await Promise.all([hold.keep(), hold.keep()])
  await hold.keep()
  await scenario.settle()
  const [kept, ...others] = await mailsOf('subscription_kept', hold)
  expect([kept?.subject, others]).toEqual([`Your subscription to @${hold.trader.username} goes on`, []])
  expect(kept?.text).toMatch(/It renews on \w+ [\d, :]+ UTC, and \$12\.50 is charged then\./)
  clock.advance(1000)
  await hold.cancel()
  await scenario.settle()
  expect(await subjects('subscription_canceled')).toHaveLength(1)
  clock.advance(1000)
  await hold.keep()
  await scenario.settle()
  expect(await subjects('subscription_kept')).toHaveLength(1)
})

test('a cancellation that is taken back at Stripe, or there alone since the answer was lost, is mailed once too', async () => {
  const [atStripe, lost] = [await makeFollower(), await makeFollower()]
  await atStripe.cancel()
  await lost.cancel()
  await scenario.settle()
  await stripe.subscriptions.update(atStripe.atStripe, { cancel_at_period_end: false })
  const path = `/v1/subscriptions/${lost.atStripe}`
  for (let nth = 0; nth < 3; nth += 1)
    await sandbox.control('fault', { kind: 'lost-answer', method: 'POST', path })
  expect((await lost.keep()).status).toBe(503)
  await sandbox.control('calm')
  await lost.keep()
  await scenario.settle()
  await scenario.settle()
  for (const one of [atStripe, lost])
    expect(await one.mails()).toEqual(['subscription_canceled', 'subscription_kept'])
})

test('within the fourteen days the mail of a cancellation says how to withdraw instead, and until when', async () => {
  const [early, late] = [await makeFollower(), await makeFollower()]
  const ends = new Date(clock.now().getTime() + 14 * 86_400_000)
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(ends)
  const until = `You can still withdraw instead, until ${day}, ${ends.toISOString().slice(11, 19)} UTC`
  clock.set(new Date(ends.getTime() - 1))
  await early.cancel()
  const [mail] = await mailsOf('subscription_canceled', early)
  expect(mail?.text).toContain(until)
  expect(mail?.text).toContain('Choose Withdraw under Account > Subscriptions')
  expect(mail?.text).toContain('/mail/leave/')
  clock.set(ends)
  await late.cancel()
  expect((await mailsOf('subscription_canceled', late))[0]?.text).not.toContain('withdraw instead')
})
