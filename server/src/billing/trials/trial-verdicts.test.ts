import { afterAll, beforeEach, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { findSubscription, subscribeAtStripe } from '../../../test/money/billing-scenario.ts'
import { FAILING_CARD, OTHER_CARD, startTrialScenario } from '../../../test/money/trial-scenario.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { makeSecretKey, secretKeyName } from '../../auth/keys/secret-key.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { lookAtOverdue } from '../subscriptions/subscriptions.jobs.ts'
import { syncSubscription } from '../subscriptions/sync-subscription.ts'
import { decideTrial } from './decide-trial.ts'
import { findTrial } from './find-trial.ts'
import { keysOfPerson } from './trial-keys.ts'

const scenario = await startTrialScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { charged, finish, makeOffering, makePerson, pass, sandbox, stripe, testApp, tryOut } = scenario
const { clock, db, settings } = testApp

// A card counts for thirty days, and Stripe's test mode has few.
beforeEach(() => pass(31))

test('a decision that was made is the answer to every later question', async () => {
  const [trader, person] = [await makeOffering(), await makePerson()]
  const hashed = [{ secretKeyId: 'one', address: null, card: Buffer.from('a card of nobody else') }]
  const asked = {
    stripeSubscriptionId: `sub_${person.userId}`,
    traderId: trader.userId,
    beganAt: clock.now(),
    person: { userId: person.userId, hashed },
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

test('each row names the secret that it was written under, and is asked with the hashes of that one alone', async () => {
  const trader = await makeOffering()
  const newSecret = 'one-more-secret-of-more-than-thirty-two-characters'
  const rotated = { ...settings, authSecret: `${newSecret},${settings.authSecret}` }
  const decide = async (stripeSubscriptionId: string, email: string, under: typeof settings) => {
    const who = await signIn(testApp, { email })
    const person = await keysOfPerson(db, under, { userId: who.userId, card: `card of ${email}` })
    const asked = { stripeSubscriptionId, traderId: trader.userId, beganAt: clock.now(), person }
    return decideTrial(db, asked, clock.now())
  }
  expect(await decide('sub_old', 'rotated@mail.example', settings)).toBe(true)
  expect(await decide('sub_new', 'later@mail.example', rotated)).toBe(true)
  const { rows } = await testApp.pool.query(
    "select secret_key_id from trials where stripe_subscription_id in ('sub_old', 'sub_new') order by 1",
  )
  const names = [settings.authSecret, newSecret].map((secret) => secretKeyName(makeSecretKey(secret)))
  expect(rows.map((row) => row.secret_key_id)).toEqual(names.toSorted())
  // Both count while both secrets do, by the address and by the card.
  for (const [nth, email] of ['rota.ted@mail.example', 'la.ter@mail.example'].entries())
    expect(await decide(`sub_again_${nth}`, email, rotated)).toBe(false)
  // A hash counts for nothing under the name of another secret.
  await testApp.pool.query('update trials set secret_key_id = $1 where stripe_subscription_id = $2', [
    names[1],
    'sub_old',
  ])
  expect(await decide('sub_misnamed', 'ro.tated@mail.example', rotated)).toBe(true)
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

test('the desk counts trials: those still free, those whose first payment went through, also of followers who left, and the ended', async () => {
  const trader = await makeOffering()
  const trials = async () => (await call(testApp, trader, 'GET', '/v1/accounts/desk')).body.trials
  expect(await trials()).toBeUndefined()
  const [stays, leaves, fails, ends] = [
    await makePerson(),
    await makePerson(),
    await makePerson(),
    await makePerson(),
  ]
  await tryOut(stays, trader)
  await tryOut(leaves, trader, OTHER_CARD)
  await tryOut(fails, trader, FAILING_CARD)
  expect(await trials()).toEqual({ began: 3, free: 3, stayed: 0, ended: 0 })
  // The same card has its trial refused: that is none.
  expect(await tryOut(ends, trader)).toMatchObject({ end_reason: 'trial_used' })
  await pass(7.1)
  // The failed first payment is owed for three days.
  expect(await trials()).toEqual({ began: 3, free: 0, stayed: 2, ended: 0 })
  const left = await findSubscription(scenario, leaves, trader)
  await stripe.subscriptions.cancel(left.stripe_subscription_id ?? '')
  await pass(4)
  await scenario.runScheduled(lookAtOverdue)
  await scenario.settle()
  expect(await trials()).toEqual({ began: 3, free: 0, stayed: 2, ended: 1 })
})
