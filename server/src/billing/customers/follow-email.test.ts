import { expect, test } from 'vitest'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { emailChange } from '../../../test/sign-in/email-change.ts'

const scenario = await startPaymentsScenario({ limitsOn: false })
const { db, stripe } = scenario
const wire = authWire(scenario)
const change = emailChange(scenario, wire)
let people = 0

/** Somebody who is a customer at Stripe, or not. */
async function join({ isCustomer }: { isCustomer: boolean }) {
  people += 1
  const session = await wire.enter(`payer-${people}@example.com`)
  const headers = { authorization: `Bearer ${session.access_token}` }
  if (isCustomer) {
    const made = await scenario.app.inject({ method: 'POST', url: '/v1/accounts/customer', headers })
    expect(made.statusCode, made.body).toBe(200)
  }
  return { session, next: `payer-${people}-new@example.com` }
}

const withEmail = async (email: string) => (await stripe.customers.list({ email })).data.map(({ id }) => id)

test('Stripe’s customer follows a change of address, and its undoing', async () => {
  const { next, session } = await join({ isCustomer: true })
  const [id] = await withEmail(session.user.email)
  await change.make(session, next)
  const { path } = await change.undoLink()
  await scenario.runPayments()
  expect([await withEmail(next), await withEmail(session.user.email)]).toEqual([[id], []])
  await change.undo(path)
  await scenario.runPayments()
  expect([await withEmail(next), await withEmail(session.user.email)]).toEqual([[], [id]])
})

test('while Stripe fails the address waits, and follows when it is back', async () => {
  const { next, session } = await join({ isCustomer: true })
  const [id] = await withEmail(session.user.email)
  await scenario.spoil(FAULTS[1][1], 'POST', `/v1/customers/${id}`)
  await change.make(session, next)
  await scenario.runPayments()
  expect(await withEmail(next)).toEqual([])
  await db
    .updateTable('work')
    .set({ due_at: new Date(0) })
    .where('name', '=', 'email-changed')
    .execute()
  await scenario.runPayments()
  expect(await withEmail(next)).toEqual([id])
})

test('somebody who pays nobody is not made a customer by a change of address', async () => {
  const { next, session } = await join({ isCustomer: false })
  await change.make(session, next)
  await scenario.runPayments()
  expect([await withEmail(next), await withEmail(session.user.email)]).toEqual([[], []])
})

test('a customer whom Stripe has lost is forgotten', async () => {
  const { next, session } = await join({ isCustomer: true })
  const [id = ''] = await withEmail(session.user.email)
  await stripe.customers.del(id)
  await change.make(session, next)
  await scenario.runPayments()
  const row = await db
    .selectFrom('customers')
    .select(['state', 'stripe_customer_id'])
    .where('user_id', '=', session.user.id)
    .executeTakeFirst()
  expect(row).toEqual({ state: 'pending', stripe_customer_id: null })
})
