import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { call, close, open } from '../../test/factories.ts'
import { startDeliveryScenario } from '../../test/mails/delivery-scenario.ts'
import {
  buy,
  makeFollowed,
  makePair,
  owedMails,
  startBillingScenario,
  takeAlerts,
} from '../../test/money/billing-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { registerRecord } from '../../test/record.ts'
import { askStatus } from '../../test/run-operator.ts'
import { tokenOf } from '../../test/sign-in/sign-in.ts'
import { audit } from '../auth/audit/audit.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { catchUpEvents } from '../billing/webhooks/webhooks.jobs.ts'
import { makeStripe } from '../stripe/stripe-client.ts'
import { draftEvidence } from './draft-evidence.ts'
import type { Evidence } from './read-evidence.ts'
import { tendDisputes } from './tend-disputes.ts'
import { evidenceFields, evidencePage } from './write-evidence.ts'

const quotes = await startQuoteServer()
const scenario = await startBillingScenario({ quotes })
const { sandbox, stripe, testApp } = scenario
const { clock, db, pool, settings } = testApp
await registerRecord(testApp)
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await quotes[Symbol.asyncDispose]()
})

const HOUR_MS = 3_600_000
const run = promisify(execFile)
const VERIFY = join(import.meta.dirname, '../../../record/built/verify.mjs')

const tend = (what: string | null, id = '') => tendDisputes({ db, settings }, what, id)

async function chargeOf({ userId }: { userId: string }): Promise<string> {
  const { rows } = await pool.query(
    'select charge_id from invoices where trader_id = $1 order by created_at desc limit 1',
    [userId],
  )
  return rows[0].charge_id
}

/** Has the bank of the newest payment to a trader dispute it. @returns Stripe's id of the dispute */
async function disputed(trader: { userId: string }): Promise<string> {
  const charge = await chargeOf(trader)
  await sandbox.control('dispute', { id: charge })
  await scenario.settle()
  return (await stripe.disputes.list({ charge })).data[0]?.id ?? ''
}

test('the evidence of a dispute waits as a draft, names consent, sign-ins, delivered mails and receipts, and is proven without a network', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-evidence-'))
  await using delivery = await startDeliveryScenario({ app: testApp })
  const { person, trader } = await makePair(scenario)
  settings.terms.isOwn = true
  const { sessionId, userId } = person
  const client = { ip: '198.51.100.7', userAgent: 'Firefox\u001b[31m 150' }
  await audit(
    { secret: makeSecretKey(settings.authSecret) },
    db,
    { action: 'signed_in', userId, sessionId, client },
    clock.now(),
  )
  await buy(scenario, person, trader)
  const worker = await delivery.startWorker()
  await open(testApp, quotes, trader, 'GLCH', 100)
  await delivery.untilNothingIsLeft()
  clock.advance(24 * HOUR_MS)
  await close(testApp, quotes, trader, 'GLCH', 130)
  await delivery.untilNothingIsLeft()
  // It has another way to Stripe than the scenario.
  await worker.stop()
  clock.advance(HOUR_MS)
  const id = await disputed(trader)

  const { evidence, evidence_details: details, status } = await stripe.disputes.retrieve(id)
  expect({ status, ...details }).toMatchObject({
    status: 'needs_response',
    has_evidence: true,
    submission_count: 0,
  })
  expect(evidence).toMatchObject({
    customer_email_address: person.email,
    product_description: `A subscription to the trader @${trader.username}, $10 a month: a mail at once whenever they open or close a stock position, and all of their positions on the site while it runs.`,
    cancellation_rebuttal: 'The subscriber had not canceled before the dispute.',
    service_date: '2026-03-04',
  })
  expect(evidence.access_activity_log?.split('\n')).toEqual([
    'The mail with the positions that were open when the subscription began was taken at 2026-03-04 15:00:00 UTC.',
    "Mails about positions that the subscriber's mail server took, the newest first:",
    '2026-03-05 15:00:00 UTC closed GLCH, mail taken at 2026-03-05 15:00:00 UTC',
    '2026-03-04 15:00:00 UTC opened GLCH, mail taken at 2026-03-04 15:00:00 UTC',
    '',
    'Sign-ins with a code that was sent to this address, the newest first:',
    '2026-03-04 15:00:00 UTC, 198.51.100.7, Firefox[31m 150',
  ])
  expect(evidence.refund_policy_disclosure).toContain(
    'Agreed to on the payment page on 2026-03-04 15:00:00 UTC by ticking a box, terms of version ',
  )
  const links = evidence.uncategorized_text?.match(/\S+\/verify#[\w-]+/g) ?? []
  expect(links).toHaveLength(2)

  const page = await tend('show', id)
  expect(page).toContain(`${id}: $10.00, fraudulent, needs_response, answer until 2026-03-25 16:00:00 UTC`)
  for (const link of links) expect(page).toContain(link)
  // The keys were kept before; no host answers.
  const [file, keys] = [join(folder, 'evidence.txt'), join(folder, 'keys.txt')]
  writeFileSync(file, page)
  writeFileSync(keys, (await testApp.app.inject('/record/keys')).body)
  const { stdout } = await run(process.execPath, [VERIFY, '--keys', keys, file])
  expect(
    stdout.match(/^It says: .*|^Nothing contradicts it\.|does not answer \(connect ECONNREFUSED/gm),
  ).toEqual([
    'It says: closed GLCH at 130 USD, quoted Mar 5, 2026, 15:00 UTC.',
    'It says: opened GLCH at 100 USD, quoted Mar 4, 2026, 15:00 UTC.',
    'does not answer (connect ECONNREFUSED',
    'Nothing contradicts it.',
  ])
})

test('a draft that was edited stays as it is, and goes to the bank by one command, once', async () => {
  const { trader } = await makeFollowed(scenario)
  await takeAlerts(scenario)
  const id = await disputed(trader)
  expect(await tend(null)).toContain(`${id}  $10.00  fraudulent  needs_response  until `)
  const { code, text } = await askStatus(testApp)
  expect(code).toBe(1)
  expect(text).toMatch(
    /^! Disputes +\d+ waits? for your answer: `npm run operator -- disputes` {2}\(Disputes\)$/m,
  )
  await stripe.disputes.update(id, { evidence: { uncategorized_text: 'Edited by hand.' }, submit: false })
  const deps = { db, settings, stripe: makeStripe(settings, 'job') }
  await draftEvidence(deps, id)
  expect(await tend('send', id)).toBe(
    'Sent. The bank decides within about three months; the trader is mailed then.',
  )
  expect(await stripe.disputes.retrieve(id)).toMatchObject({
    status: 'under_review',
    evidence: { uncategorized_text: 'Edited by hand.' },
    evidence_details: { submission_count: 1 },
  })
  await expect(tend('send', id)).rejects.toThrow('It waits for no answer: under_review.')
  await expect(tend('show', 'dp_none')).rejects.toThrow('No such dispute')
  await expect(tend('drop', id)).rejects.toThrow('Say `show` or `send` and the id of a dispute, or nothing.')
  expect(await tend(null)).not.toContain(id)
})

test.each([
  ['winning_evidence', 'won'],
  ['losing_evidence', 'lost'],
] as const)('%s: the trader is mailed once that the dispute is %s', async (words, outcome) => {
  const { person, trader } = await makeFollowed(scenario)
  const id = await disputed(trader)
  await stripe.disputes.update(id, { evidence: { uncategorized_text: words }, submit: false })
  await tend('send', id)
  await scenario.settle()
  await sandbox.control('calm', { settle: true })
  const facts = { trader: trader.username, amountCents: 1000, currency: 'usd', shareCents: 900 }
  expect((await owedMails(scenario, trader)).map((mail) => [mail.kind, mail.facts])).toEqual([
    ['payment_disputed', facts],
    ['dispute_decided', { ...facts, outcome }],
  ])
  expect((await owedMails(scenario, person)).map(({ kind }) => kind)).toEqual(['subscription_ended'])
})

test('while Stripe refuses the evidence, access has ended and the money is owed; it is put in once Stripe takes it', async () => {
  const { person, trader } = await makeFollowed(scenario)
  const charge = await chargeOf(trader)
  await sandbox.control('dispute', { id: charge })
  const arrived = "select from stripe_events where type = 'charge.dispute.created' and state = 'received'"
  await expect.poll(async () => (await pool.query(arrived)).rowCount).toBe(1)
  await sandbox.control('fault', { method: 'POST', path: '/v1/disputes', times: 100, kind: 'error' })
  await scenario.work()
  const { rows } = await pool.query('select status, end_reason from subscriptions where subscriber_id = $1', [
    person.userId,
  ])
  expect(rows).toEqual([{ status: 'canceled', end_reason: 'dispute' }])
  const read = async () => (await stripe.disputes.list({ charge })).data[0]?.evidence_details.has_evidence
  expect(await read()).toBe(false)
  clock.advance(HOUR_MS)
  await scenario.settle()
  expect(await read()).toBe(true)
})

test('a dispute of the first of two payments is booked on that one, ends the subscription, and is drafted with its own month', async () => {
  const { bought, pass, person, trader } = await makeFollowed(scenario)
  const first = await chargeOf(trader)
  await pass(32)
  await scenario.settle()
  expect(await chargeOf(trader)).not.toBe(first)
  await sandbox.control('dispute', { id: first })
  await scenario.settle()
  const { rows } = await pool.query(
    `select charge_id = $2 as first, dispute_status as status, reversed_cents as reversed from invoices
     where trader_id = $1 order by created_at`,
    [trader.userId, first],
  )
  expect(rows).toEqual([
    { first: true, status: 'needs_response', reversed: 1000 },
    { first: false, status: null, reversed: 0 },
  ])
  expect((await stripe.subscriptions.retrieve(bought.id)).status).toBe('canceled')
  const [dispute] = (await stripe.disputes.list({ charge: first })).data
  expect(dispute?.evidence.service_date).toBe(new Date(bought.created * 1000).toISOString().slice(0, 10))
  expect((await owedMails(scenario, person)).map(({ kind }) => kind)).toEqual(['subscription_ended'])
})

test('a dispute that was accepted, and whose event was lost, is found by the hourly look at missed events', async () => {
  const { trader } = await makeFollowed(scenario)
  const id = await disputed(trader)
  await stripe.disputes.close(id)
  await sandbox.control('calm', { settle: true })
  await pool.query("delete from stripe_events where type = 'charge.dispute.closed'")
  await scenario.runScheduled(catchUpEvents)
  await scenario.work()
  const { rows } = await pool.query('select dispute_status as status from invoices where trader_id = $1', [
    trader.userId,
  ])
  expect(rows).toEqual([{ status: 'lost' }])
})

test('a dispute that was won and is lost after all is mailed to the operator, and its outcome to the trader again', async () => {
  const { trader } = await makeFollowed(scenario)
  const id = await disputed(trader)
  await takeAlerts(scenario)
  // A bank that decides again is not in the sandbox.
  await pool.query("update invoices set dispute_status = 'won' where trader_id = $1", [trader.userId])
  await stripe.disputes.close(id)
  await scenario.settle()
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: a dispute that was won is lost after all, and its trader was paid again',
  ])
})

test('evidence says when the subscriber canceled, and whether the payment came before', async () => {
  const { person, trader } = await makePair(scenario)
  await buy(scenario, person, trader)
  const { rows } = await pool.query('select id from subscriptions where subscriber_id = $1', [person.userId])
  clock.advance(HOUR_MS)
  const canceledAt = clock.now().toISOString().slice(0, 19).replace('T', ' ')
  const token = await tokenOf(testApp, person)
  expect(
    (await call(testApp, { ...person, token }, 'POST', `/v1/subscriptions/${rows[0].id}/cancel`)).status,
  ).toBe(200)
  await scenario.settle()
  clock.advance(HOUR_MS)
  const { evidence } = await stripe.disputes.retrieve(await disputed(trader))
  expect(evidence.cancellation_rebuttal).toMatch(
    new RegExp(
      `^The subscriber canceled on ${canceledAt} UTC; this payment is of [0-9: -]+ UTC, before that\\.$`,
    ),
  )
})

test('a list of mails that is longer than the bank takes ends with how many are left out, and the page has all', () => {
  const mail = { at: clock.now(), kind: 'opened', symbol: 'GLCH', from: clock.now(), until: clock.now() }
  const nobody = '00000000-0000-0000-0000-000000000000'
  const evidence: Evidence = {
    dispute: {
      id: 'dp_1',
      amountCents: 1000,
      currency: 'usd',
      createdAt: clock.now(),
      takenAt: clock.now(),
      reason: 'general',
      status: 'needs_response',
      dueAt: null,
      hasEvidence: false,
      paymentId: 'pi_1',
    },
    payment: {
      traderId: nobody,
      subscriberId: nobody,
      subscriptionId: nobody,
      stripeSubscriptionId: 'sub_1',
      priceCents: 1000,
      currency: 'usd',
      interval: 'month',
      startedAt: clock.now(),
      endedAt: null,
      endReason: null,
      paidCents: 1000,
      refundedCents: 0,
      paidAt: clock.now(),
      periodStart: null,
      periodEnd: null,
    },
    trader: 'maria',
    email: 'ann@example.com',
    canceledAt: null,
    consent: null,
    startedMailAt: null,
    signIns: [],
    mails: Array.from({ length: 400 }, () => ({ ...mail, receipt: 'x'.repeat(1500) })),
  }
  const fields = evidenceFields(evidence, 'https://tradepost.example')
  for (const text of [fields.access_activity_log, fields.uncategorized_text]) {
    expect(String(text).length).toBeLessThanOrEqual(20_000)
    expect(text).toMatch(/\n… and \d+ more\.$/)
  }
  expect(evidencePage(evidence, 'https://tradepost.example').match(/\/verify#/g)).toHaveLength(400)
})
