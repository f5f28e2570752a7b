import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { emailChange } from '../../../test/sign-in/email-change.ts'

const MINUTE_MS = 60_000

async function start() {
  const testApp = await buildTestApp()
  const wire = authWire(testApp)
  return { testApp, wire, change: emailChange(testApp, wire) }
}

test('a session asks for one change a minute and five an hour, and a refused one leaves the earlier as it is', async () => {
  const { change, testApp, wire } = await start()
  await using _ = testApp
  const { access_token: token } = await wire.enter('ada@example.com')
  expect((await change.ask(token, 'one@example.com')).status).toBe(200)
  const soon = await change.ask(token, 'two@example.com')
  expect([soon.status, soon.body.code, soon.headers['retry-after']]).toEqual([
    429,
    'over_email_send_rate_limit',
    '60',
  ])
  expect((await wire.user(token)).body.new_email).toBe('one@example.com')
  expect(Object.keys(await change.codes()).toSorted()).toEqual(['ada@example.com', 'one@example.com'])
  for (const name of ['three', 'four', 'five', 'six']) {
    testApp.clock.advance(MINUTE_MS)
    expect((await change.ask(token, `${name}@example.com`)).status).toBe(200)
  }
  testApp.clock.advance(MINUTE_MS)
  expect((await change.ask(token, 'seven@example.com')).status).toBe(429)
})

test('however many accounts want an address, it gets five mails an hour, those of its sign-in by strangers among them', async () => {
  const { change, testApp, wire } = await start()
  await using _ = testApp
  const statuses: number[] = []
  for (let account = 0; account < 6; account++) {
    const { access_token } = await wire.enter(`flooder-${account}@example.com`)
    if (account === 5) expect((await wire.otp('inbox@example.com')).status).toBe(429)
    statuses.push((await change.ask(access_token, 'inbox@example.com')).status)
    testApp.clock.advance(MINUTE_MS)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})

test('the limit of an address is the same whether or not it is somebody’s', async () => {
  const { change, testApp, wire } = await start()
  await using _ = testApp
  await wire.enter('somebody@example.com')
  testApp.clock.advance(60 * MINUTE_MS)
  const answers: unknown[][] = []
  for (const wanted of ['somebody@example.com', 'nobody@example.com']) {
    const { access_token: first } = await wire.enter(`first-${wanted}`)
    const { access_token: second } = await wire.enter(`second-${wanted}`)
    const asked = await change.ask(first, wanted)
    const refused = await change.ask(second, wanted)
    answers.push([asked.status, refused.status, refused.headers['retry-after'], refused.body.message])
  }
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0]?.slice(0, 2)).toEqual([200, 429])
})

test('strangers who have codes sent again use up their own mails, and are told nothing of a change', async () => {
  const { change, testApp, wire } = await start()
  await using _ = testApp
  const { access_token: token } = await wire.enter('ada@example.com')
  testApp.clock.advance(59 * MINUTE_MS)
  expect((await change.ask(token, 'new@example.com')).status).toBe(200)
  const answers: [number, number][] = []
  for (let minute = 0; minute < 7; minute++) {
    testApp.clock.advance(MINUTE_MS)
    const known = await change.again('ada@example.com')
    const unknown = await change.again('nobody@example.com')
    answers.push([known.status, unknown.status])
  }
  expect(answers.map(([known, unknown]) => known === unknown)).toEqual(answers.map(() => true))
  expect(answers.map(([known]) => known)).toEqual([200, 200, 200, 200, 200, 429, 429])
  const { rows } = await testApp.pool.query(
    'select purpose, cardinality(sent_at) as sent from account_codes order by purpose',
  )
  expect(rows).toEqual([
    { purpose: 'new_email', sent: 1 },
    { purpose: 'old_email', sent: 1 },
  ])
  // The last code that any of these mails brought is worth as much as the first.
  const codes = await change.codes()
  expect((await change.give('ada@example.com', codes['ada@example.com'] ?? null)).status).toBe(200)
})
