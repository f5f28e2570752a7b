import { afterAll, beforeEach, expect, test } from 'vitest'
import { findSubscription, subscribeAtStripe } from '../../../test/money/billing-scenario.ts'
import { OTHER_CARD, startTrialScenario } from '../../../test/money/trial-scenario.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { syncSubscription } from '../subscriptions/sync-subscription.ts'
import { decideTrial } from './decide-trial.ts'
import { findTrial } from './find-trial.ts'

const scenario = await startTrialScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { charged, finish, makeOffering, makePerson, pass, sandbox, stripe, testApp, tryOut } = scenario
const { clock, db, settings } = testApp

// A card counts for thirty days, and Stripe's test mode has few.
beforeEach(() => pass(31))

test('a decision that was made is the answer to every later question', async () => {
  const [trader, person] = [await makeOffering(), await makePerson()]
  const cards = [Buffer.from('a card of nobody else')]
  const asked = {
    stripeSubscriptionId: `sub_${person.userId}`,
    traderId: trader.userId,
    beganAt: clock.now(),
    person: { userId: person.userId, addresses: [], cards },
  }
  const decide = (changes: Partial<typeof asked> = {}) =>
    withTransaction(db, (tx) => decideTrial(tx, { ...asked, ...changes }, clock.now()))
  expect(await decide()).toBe(true)
  expect(await decide()).toBe(true)
  const second = { stripeSubscriptionId: `sub_2_${person.userId}` }
  expect(await decide(second)).toBe(false)
  await db.deleteFrom('trials').where('stripe_subscription_id', '=', asked.stripeSubscriptionId).execute()
  expect(await decide(second)).toBe(false)
  expect(await decide({ stripeSubscriptionId: `sub_3_${person.userId}` })).toBe(true)
})

test('somebody who has changed the address since is the same person, and so is somebody new with the old one', async () => {
  const [trader, person] = [await makeOffering(), await makePerson('before@mail.example')]
  expect(await tryOut(person, trader)).toMatchObject({ status: 'trialing' })
  await db.updateTable('users').set({ email: 'after@mail.example' }).where('id', '=', person.userId).execute()
  const offered = ({ userId }: { userId: string }) =>
    findTrial({ db, settings }, { traderId: trader.userId, subscriberId: userId }, clock.now())
  expect(await offered(person)).toBeNull()
  expect(await offered(await signIn(testApp, { email: 'before@mail.example' }))).toBeNull()
  expect(await offered(await signIn(testApp, { email: 'nobody@mail.example' }))).toBe(7)
})

test('a secret that was replaced still finds the address, and one that was dropped does not', async () => {
  const [trader, person] = [await makeOffering(), await makePerson('kept.secret@mail.example')]
  expect(await tryOut(person, trader)).toMatchObject({ status: 'trialing' })
  const again = await signIn(testApp, { email: 'keptsecret+2@mail.example' })
  const pair = { traderId: trader.userId, subscriberId: again.userId }
  const newSecret = 'another-secret-of-more-than-thirty-two-characters'
  const ask = (authSecret: string) =>
    findTrial({ db, settings: { ...settings, authSecret } }, pair, clock.now())
  expect(await ask(`${newSecret},${settings.authSecret}`)).toBeNull()
  expect(await ask(newSecret)).toBe(7)
})

test('a refusal that is made only after the first payment pays it back whole', async () => {
  const [trader, first, second] = [await makeOffering(), await makePerson(), await makePerson()]
  expect(await tryOut(first, trader, OTHER_CARD)).toMatchObject({ status: 'trialing' })
  await sandbox.control('chaos', { seed: 3, drop: 1 })
  await finish(second, trader, OTHER_CARD)
  await sandbox.control('advance', { seconds: 0 })
  const [found] = (await stripe.subscriptions.list({ customer: second.customer })).data
  clock.advance(7.1 * 86_400_000)
  await sandbox.control('advance', { seconds: 0 })
  await sandbox.control('calm')
  expect(await charged(second.customer)).toEqual([1250])
  await syncSubscription(scenario.deps, found?.id ?? '', {}, clock.now())
  await scenario.settle()
  expect(await findSubscription(scenario, second, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'trial_used',
    entitled_from_event: null,
  })
  const { data } = await stripe.charges.list({ customer: second.customer })
  expect(data.map(({ amount, amount_refunded: back }) => [amount, back])).toEqual([[1250, 1250]])
})

test('a subscription whose trial is refused makes way for one that is paid', async () => {
  const [trader, first, second] = [await makeOffering(), await makePerson(), await makePerson()]
  expect(await tryOut(first, trader, OTHER_CARD)).toMatchObject({ status: 'trialing' })
  await sandbox.control('chaos', { seed: 5, drop: 1 })
  await finish(second, trader, OTHER_CARD)
  clock.advance(1000)
  const paid = await subscribeAtStripe(scenario, second, trader)
  await sandbox.control('calm')
  await syncSubscription(scenario.deps, paid.id, {}, clock.now())
  await scenario.settle()
  const rows = await db
    .selectFrom('subscriptions')
    .select(['status', 'end_reason'])
    .where('subscriber_id', '=', second.userId)
    .orderBy('started_at')
    .execute()
  expect(rows).toEqual([
    { status: 'canceled', end_reason: 'trial_used' },
    { status: 'active', end_reason: null },
  ])
  expect(await charged(second.customer)).toEqual([1250])
})
