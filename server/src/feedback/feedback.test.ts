import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, makeTrader, readTables } from '../../test/factories.ts'
import { runOperator } from '../../test/run-operator.ts'
import { type SentMail, takeMails } from '../../test/run-outbox.ts'
import { bearer, type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const testApp = await buildTestApp()
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))

const WORDS = 'The chart should show the opening price.'

const send = (who: SignedIn | null, payload: object) => call(testApp, who, 'POST', '/v1/feedback', payload)

async function kept(who: SignedIn) {
  return testApp.db
    .selectFrom('feedback')
    .select(['body', 'created_at'])
    .where('user_id', '=', who.userId)
    .orderBy('created_at')
    .execute()
}

/** The mails that the operator finds in the mailbox. */
async function operatorMails(): Promise<SentMail[]> {
  return takeMails(testApp, ['feedback'], { operatorEmail: 'operator@example.com' })
}

test('feedback is kept with its author, trimmed', { tags: ['API-18'] }, async () => {
  const person = await makeTrader(testApp)
  expect(await send(person, { feedback: `  ${WORDS}\n` })).toEqual({ status: 201, body: { ok: true } })
  expect(await kept(person)).toEqual([{ body: WORDS, created_at: TEST_NOW }])
})

test('controls of direction are not kept, and text that cannot be seen is no feedback', async () => {
  const person = await makeTrader(testApp)
  await send(person, { feedback: `\u202e${WORDS}\u2069` })
  expect(await kept(person)).toEqual([{ body: WORDS, created_at: TEST_NOW }])
  const unseen = await send(person, { feedback: '\u200b'.repeat(10) })
  expect(unseen).toMatchObject({ status: 422, body: { code: 'feedback_length' } })
})

test('feedback is kept with its author and reaches the operator as it is, by mail and by command', {
  tags: ['FEED-08'],
}, async () => {
  const person = await makeTrader(testApp, 'talkative')
  await operatorMails()
  await send(person, { feedback: '<b>Bold</b> & "quoted"\r\nBcc: everybody@example.com' })
  const [mail, ...others] = await operatorMails()
  expect(others).toEqual([])
  expect(mail?.subject).toBe('Tradepost: feedback')
  expect(mail?.html).toBeUndefined()
  expect(mail?.text).toBe(
    `<b>Bold</b> & "quoted"\r\nBcc: everybody@example.com\n\n-- \ntalkative, ${person.email}, 2026-03-04T15:00:00.000Z\n`,
  )
  expect(await kept(person)).toMatchObject([{ body: '<b>Bold</b> & "quoted"\r\nBcc: everybody@example.com' }])
  const read = await runOperator(testApp, 'feedback')
  expect(read).toContain(`2026-03-04T15:00:00.000Z  talkative  ${person.email}`)
  expect(read).toContain('  <b>Bold</b> & "quoted"\n  Bcc: everybody@example.com\n')
})

test('somebody without a username may send feedback too', async () => {
  const person = await signIn(testApp)
  await operatorMails()
  expect((await send(person, { feedback: WORDS })).status).toBe(201)
  expect((await operatorMails())[0]?.text).toContain(`no username yet, ${person.email}`)
})

test('repeating the call, as after a lost answer, keeps and mails it once', async () => {
  const [person, other] = [await signIn(testApp), await signIn(testApp)]
  await operatorMails()
  const answers = await Promise.all([1, 2, 3].map(() => send(person, { feedback: WORDS })))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect((await send(other, { feedback: WORDS })).status).toBe(201)
  expect(await kept(person)).toHaveLength(1)
  expect(await kept(other)).toHaveLength(1)
  expect(await operatorMails()).toHaveLength(2)
})

test.each([
  ['9 characters', 'x'.repeat(9), 422],
  ['9 characters among blanks', `   ${'x'.repeat(9)}   `, 422],
  ['10 characters', 'x'.repeat(10), 201],
  ['500 characters', 'x'.repeat(500), 201],
  ['500 characters among blanks', ` ${'x'.repeat(500)}\n`, 201],
  ['250 emoji of two units each', '🚀'.repeat(250), 201],
  ['501 characters', 'x'.repeat(501), 422],
])('feedback of %s is taken or refused by its length', { tags: ['FEED-07'] }, async (_, feedback, status) => {
  const person = await signIn(testApp)
  const before = await readTables(testApp)
  const answer = await send(person, { feedback })
  expect(answer.status).toBe(status)
  if (status === 201) return
  expect(answer.body).toMatchObject({
    code: 'feedback_length',
    message: 'Feedback must be between 10 and 500 characters.',
  })
  expect(await readTables(testApp)).toEqual(before)
})

test.each([
  ['nothing', {}],
  ['a number', { feedback: 1_234_567_890 }],
  ['a list', { feedback: [WORDS] }],
  ['what the database has no character for', { feedback: `${WORDS}\u0000` }],
  ['half an emoji', { feedback: `${WORDS}\ud83d` }],
])('%s is no feedback and answers 400', async (_, payload) => {
  const person = await signIn(testApp)
  expect(await send(person, payload)).toMatchObject({
    status: 400,
    body: { code: 'bad_request', message: 'Something went wrong, please try again.' },
  })
  expect(await kept(person)).toEqual([])
})

test('a stranger is not listened to', async () => {
  const before = await readTables(testApp)
  expect((await send(null, { feedback: WORDS })).status).toBe(401)
  expect(await readTables(testApp)).toEqual(before)
})

test('five an hour and person are taken, and the sixth answer contains when to come back', {
  tags: ['FEED-03'],
}, async () => {
  const [person, other] = [await signIn(testApp), await signIn(testApp)]
  for (let round = 1; round <= 5; round += 1) {
    expect((await send(person, { feedback: `${WORDS} ${round}` })).status).toBe(201)
  }
  testApp.clock.advance(59 * 60_000)
  const sixth = await testApp.app.inject({
    method: 'POST',
    url: '/v1/feedback',
    headers: bearer(person.token),
    payload: { feedback: `${WORDS} 6` },
  })
  expect(sixth.statusCode).toBe(429)
  expect(sixth.json()).toMatchObject({ code: 'rate_limited' })
  expect(sixth.headers['retry-after']).toBe('60')
  expect(await kept(person)).toHaveLength(5)
  expect((await send(other, { feedback: WORDS })).status).toBe(201)
  testApp.clock.advance(60_000)
  expect((await send(person, { feedback: `${WORDS} 6` })).status).toBe(201)
  expect(await kept(person)).toHaveLength(6)
})
