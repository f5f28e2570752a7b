import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader, subscribe } from '../../../test/factories.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { mailTag } from '../../platform/return-path.ts'
import { returnPathsOf } from '../event-mails/return-paths-of.ts'
import { liftSuppression } from '../refusals/suppressions.ts'

const DAY_MS = 86_400_000
const KEY = 'a signing key of the tests'
const reports = { address: 'bounces@mail.example', mailboxUrl: null, mailgunKey: KEY }
const TRADER = '0199c000-0000-7000-8000-000000000001'

type Signed = { token?: string; atMs?: number; key?: string }
let tokens = 0

/** A webhook as Mailgun posts it. */
function post({ app, clock }: TestApp, event: object, { atMs = 0, key = KEY, token }: Signed = {}) {
  tokens += 1
  const timestamp = String(Math.floor((clock.now().getTime() + atMs) / 1000))
  const signed = token ?? `token-${tokens}`
  const signature = createHmac('sha256', key)
    .update(timestamp + signed)
    .digest('hex')
  const payload = { signature: { timestamp, token: signed, signature }, 'event-data': event }
  return app.inject({ method: 'POST', url: '/webhooks/mailgun', payload })
}

const failed = (sender: string, status: object, severity = 'permanent') => ({
  event: 'failed',
  severity,
  envelope: { sender },
  'delivery-status': status,
})

async function suppressed({ pool }: TestApp): Promise<string[]> {
  const { rows } = await pool.query<{ said: string }>(
    "select email || ' ' || cause as said from suppressions join users on users.id = user_id where ends_at is null order by 1",
  )
  return rows.map(({ said }) => said)
}

test('Mailgun’s word on a mail is judged as a bounce or complaint in the mailbox, by return path or by address', async () => {
  await using testApp = await buildTestApp({ settings: { reports, limitsOn: false } })
  const paths = returnPathsOf(testApp.settings)
  const person = async (name: string) => (await signIn(testApp, { email: `${name}@people.example` })).userId
  const of = (readerId: string) => paths?.of({ topic: 'positions', readerId, tag: mailTag('a mail') }) ?? ''
  const pathOf = async (name: string) => of(await person(name))
  const gone = await person('gone')
  const position = {
    message: { headers: { 'message-id': `7.${'a'.repeat(24)}.${TRADER}@tradepost.example` } },
  }
  const single = { message: { headers: { 'message-id': `${TRADER}@tradepost.example` } } }
  const events = [
    failed(of(gone), { code: 550, message: '550 5.1.1 No such user' }),
    failed(await pathOf('blocked'), { code: 550, 'enhanced-code': '5.7.1', message: 'No such user' }),
    failed(await pathOf('full'), { code: 552, message: 'mailbox full' }),
    failed(await pathOf('later'), { code: 452, message: '4.2.2 full' }, 'temporary'),
    { event: 'complained', recipient: 'Angry@People.example', ...position },
    { event: 'complained', recipient: 'signing-in@people.example', ...single },
    { event: 'complained', recipient: 'nobody@people.example', ...position },
    { event: 'opened', recipient: 'reader@people.example', ...position },
  ]
  for (const name of ['angry', 'signing-in', 'reader']) await person(name)
  for (const event of events) {
    const answer = await post(testApp, event)
    expect([answer.statusCode, answer.json()]).toEqual([200, { received: true }])
  }
  expect(await suppressed(testApp)).toEqual(['angry@people.example complained'])
  testApp.clock.advance(DAY_MS)
  const again = paths?.of({ topic: 'positions', readerId: gone, tag: mailTag('the next') }) ?? ''
  await post(testApp, failed(again, { code: 550, message: '550 5.1.1 No such user' }))
  expect(await suppressed(testApp)).toEqual([
    'angry@people.example complained',
    'gone@people.example bounced',
  ])
  const { rows } = await testApp.pool.query('select reason, count from unread_reports order by reason')
  expect(rows).toEqual([
    { reason: 'no failure', count: 1 },
    { reason: 'no report', count: 1 },
    { reason: 'of no mail of ours', count: 1 },
  ])
})

test('Mailgun’s own codes have their documented meaning: a bounce before, a complaint before, given up, the account', async () => {
  await using testApp = await buildTestApp({ settings: { reports, limitsOn: false } })
  const paths = returnPathsOf(testApp.settings)
  const names = [
    'bounced',
    'named',
    'complained',
    'old',
    'listed',
    'unknown',
    'full',
    'own-words',
    'late',
  ] as const
  const ids = new Map<string, string>()
  for (const name of names) ids.set(name, (await signIn(testApp, { email: `${name}@people.example` })).userId)
  const postFailure = (
    name: (typeof names)[number],
    code: number | string,
    description: string,
    more: object = {},
  ) => {
    const sender =
      paths?.of({ topic: 'positions', readerId: ids.get(name) ?? '', tag: mailTag('a mail') }) ?? ''
    return post(testApp, { ...failed(sender, { code, message: '', description }), ...more })
  }
  await postFailure('bounced', 605, 'Not delivering to previously bounced address')
  await postFailure('named', 550, 'suppressed', { reason: 'suppress-bounce' })
  await postFailure('complained', 607, 'Not delivering to a user who marked your messages as spam', {
    reason: 'suppress-bounce',
  })
  await postFailure('old', '602', 'Too old')
  await postFailure('listed', 625, 'Poor mailing list quality')
  await postFailure('unknown', 699, 'no words that anybody knows')
  await postFailure('full', 699, 'the mailbox is full')
  await postFailure('own-words', 550, 'No such user')
  await postFailure('late', 451, '451 4.4.1 timed out', { reason: 'delayed-bounce' })
  const { rows } = await testApp.pool.query(
    "select split_part(email, '@', 1) as name, kind, about from mail_reports join users on id = user_id order by 1",
  )
  const kind = 'bounce'
  expect(rows).toEqual([
    { name: 'bounced', kind, about: 'address' },
    { name: 'complained', kind: 'complaint', about: 'recipient' },
    { name: 'full', kind, about: 'recipient' },
    { name: 'late', kind, about: 'recipient' },
    { name: 'listed', kind, about: 'policy' },
    { name: 'named', kind, about: 'address' },
    { name: 'old', kind, about: 'recipient' },
    { name: 'own-words', kind, about: 'address' },
    { name: 'unknown', kind, about: 'policy' },
  ])
  expect(await suppressed(testApp)).toEqual(['complained@people.example complained'])
})

test('an event of Mailgun that somebody unsubscribed stops the mails about that trader, and about all where it names none', async () => {
  await using testApp = await buildTestApp({ settings: { reports, limitsOn: false } })
  const { clock, pool } = testApp
  const traders = [await makeTrader(testApp, 'maria'), await makeTrader(testApp, 'other')]
  const people = ['ann', 'bob', 'cid', 'dan'].map((name) => `${name}@people.example`)
  for (const email of people) {
    const person = await signIn(testApp, { email })
    for (const trader of traders) await subscribe(testApp, person, trader)
  }
  const [ann = '', bob = '', cid = ''] = people
  const muted = async () => {
    const { rows } = await pool.query<{ said: string }>(
      `select split_part(email, '@', 1) || ' ' || username as said from subscriptions join users on users.id = subscriber_id
       join accounts on accounts.user_id = trader_id where mail_muted_at = $1 order by 1`,
      [clock.now()],
    )
    return rows.map(({ said }) => said)
  }
  const ofMaria = {
    message: { headers: { 'message-id': `7.${'a'.repeat(24)}.${traders[0]?.userId}@tradepost.example` } },
  }
  const dropped = { severity: 'permanent', 'delivery-status': { code: 606, message: '' } }
  await post(testApp, { event: 'unsubscribed', recipient: ann, ...ofMaria })
  await post(testApp, { event: 'failed', recipient: bob, ...dropped, ...ofMaria })
  await post(testApp, { event: 'unsubscribed', recipient: cid })
  await post(testApp, { event: 'unsubscribed', recipient: 'nobody@people.example' })
  expect(await muted()).toEqual(['ann maria', 'bob maria', 'cid maria', 'cid other'])
  expect(await suppressed(testApp)).toEqual([])
  const { rows } = await pool.query('select reason, count from unread_reports order by reason')
  expect(rows).toEqual([
    { reason: 'of no mail of ours', count: 1 },
    { reason: 'unsubscribed', count: 3 },
  ])
})

test('a mail is the same by its Message-ID as by its return path', async () => {
  await using testApp = await buildTestApp({ settings: { reports, limitsOn: false } })
  const { userId: readerId } = await signIn(testApp, { email: 'ann@people.example' })
  const paths = returnPathsOf(testApp.settings)
  const sender = paths?.of({ topic: 'positions', readerId, tag: mailTag(`7.${TRADER}`) }) ?? ''
  await post(testApp, failed(sender, { code: 552, message: 'mailbox full' }))
  await post(testApp, {
    ...failed('', { code: 552, message: 'mailbox full' }),
    recipient: 'ann@people.example',
    message: { headers: { 'message-id': `7.${'a'.repeat(24)}.${TRADER}@tradepost.example` } },
  })
  expect((await testApp.pool.query('select from mail_reports')).rowCount).toBe(1)
})

test('a webhook that is forged, old, from the future, malformed or repeated is refused, and leaves nothing', async () => {
  await using testApp = await buildTestApp({ settings: { reports, limitsOn: false } })
  await signIn(testApp, { email: 'ann@people.example' })
  const event = {
    event: 'complained',
    recipient: 'ann@people.example',
    message: { headers: { 'message-id': `7.${'a'.repeat(24)}.${TRADER}@tradepost.example` } },
  }
  const refused = [
    await post(testApp, event, { key: 'another key of somebody' }),
    await post(testApp, event, { atMs: -301_000 }),
    await post(testApp, event, { atMs: 301_000 }),
    await post(testApp, {}),
    await testApp.app.inject({ method: 'POST', url: '/webhooks/mailgun', payload: { signature: 'x' } }),
    await testApp.app.inject({ method: 'POST', url: '/webhooks/mailgun' }),
  ]
  expect(await suppressed(testApp)).toEqual([])
  expect((await post(testApp, { event: 'opened' }, { token: 'once' })).statusCode).toBe(200)
  refused.push(await post(testApp, event, { token: 'once', atMs: 1000 }))
  for (const { statusCode, body } of refused) {
    expect(statusCode).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ code: 'bad_request' })
  }
  expect(await suppressed(testApp)).toEqual([])
  expect((await post(testApp, event, { atMs: -299_000 })).statusCode).toBe(200)
  expect(await suppressed(testApp)).toEqual(['ann@people.example complained'])
})

test('people read in their subscriptions that mails to them are withheld, until the operator lifts it', async () => {
  await using testApp = await buildTestApp({ settings: { reports, limitsOn: false } })
  const { clock, db, settings } = testApp
  const ann = await signIn(testApp, { email: 'ann@people.example' })
  const bob = await signIn(testApp, { email: 'bob@people.example' })
  const withheld = async (caller: typeof ann) =>
    (await call(testApp, caller, 'GET', '/v1/subscriptions')).body.mailsRefused
  const path = (readerId: string, mail: string) =>
    returnPathsOf(settings)?.of({ topic: 'positions', readerId, tag: mailTag(mail) }) ?? ''
  expect(await withheld(ann)).toBeNull()
  const gone = { code: 550, 'enhanced-code': '5.1.1' }
  await post(testApp, failed(path(ann.userId, 'one'), gone))
  expect(await withheld(ann)).toBe('refused')
  clock.advance(DAY_MS)
  expect(await withheld(ann)).toBeNull()
  await post(testApp, failed(path(ann.userId, 'two'), gone))
  await post(testApp, { event: 'complained', envelope: { sender: path(bob.userId, 'one') } })
  expect([await withheld(ann), await withheld(bob)]).toEqual(['refused', 'complained'])
  const secret = makeSecretKey(settings.authSecret)
  expect(await liftSuppression({ db, secret }, 'ann@people.example', clock.now())).toBe(1)
  expect([await withheld(ann), await withheld(bob)]).toEqual([null, 'complained'])
})

test('without Mailgun’s key there is no such address', async () => {
  await using testApp = await buildTestApp()
  expect((await post(testApp, { event: 'opened' })).statusCode).toBe(404)
})
