import assert from 'node:assert/strict'
import type { TestApp } from '../build-test-app.ts'
import { authWire, wrongCode } from '../sign-in/auth-wire.ts'
import { deliverSignInMails, type SignInMail } from '../sign-in/sign-in-mails.ts'

/** The outcome of an attack, for people to read. */
export type Figures = Record<string, number | string>

const MINUTE_MS = 60_000
const CODES = 1_000_000

/** A separate address for each number. */
function sourceAddress(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
}

/**
 * S1: for an hour somebody guesses the codes of one address from many sources, forges where they come from, and has new
 * codes sent as often as they get them. In the midst of it the owner comes in by the link.
 * @param guesses each from a separate source
 */
export async function guessCodes(testApp: TestApp, guesses: number): Promise<Figures> {
  const wire = authWire(testApp)
  const email = 'victim@example.com'
  await wire.enter(email)
  testApp.clock.advance(60 * MINUTE_MS)
  const start = testApp.clock.now()
  let mail: SignInMail | undefined
  let sends = 0
  for (let guess = 0; guess < guesses; guess++) {
    testApp.clock.set(new Date(start.getTime() + Math.floor((guess * 60 * MINUTE_MS) / guesses)))
    const ip = sourceAddress(guess)
    if ((await wire.otp(email, {}, ip)).status === 200) {
      sends += 1
      mail = (await deliverSignInMails(testApp)).at(-1)
    }
    const answer = await testApp.app.inject({
      method: 'POST',
      url: '/auth/v1/verify',
      remoteAddress: ip,
      headers: { 'x-forwarded-for': sourceAddress(guesses - guess), 'x-real-ip': '127.0.0.1' },
      payload: { email, token: wrongCode(mail?.code ?? ''), type: 'email' },
    })
    assert.equal(answer.statusCode, 403)
    if (guess !== Math.floor(guesses / 2)) continue
    // Sign-in by code is blocked for everybody by then; a link lives for thirty minutes from its mail.
    assert.equal((await wire.verify(email, mail?.code ?? '', sourceAddress(guesses + 1))).status, 403)
    const byLink = await wire.verifyLink(mail?.tokenHash ?? '')
    assert.equal(byLink.status, 200, 'the owner comes in by the link')
  }
  const compared = await refusedSince(testApp, start)
  assert.ok(compared <= 10, `${compared} codes were compared within the hour`)
  assert.ok(sends <= 5, `${sends} mails were sent within the hour`)
  return { guesses, sends, compared, 'chance an hour': compared / CODES, 'owner by link': 200 }
}

/** How many wrong codes were really compared, by the audit log. */
async function refusedSince(testApp: TestApp, start: Date): Promise<number> {
  const entries = await testApp.db
    .selectFrom('audit_log')
    .select('id')
    .where('action', '=', 'code_refused')
    .where('at', '>=', start)
    .execute()
  return entries.length
}

/** S2: two verifies of one code at once, by code or by link; one session each time. */
export async function raceCodes(testApp: TestApp, rounds: number): Promise<Figures> {
  const wire = authWire(testApp)
  for (let round = 0; round < rounds; round++) {
    const email = `racer-${round}@example.com`
    const old = await wire.mailTo(email)
    const { code, tokenHash } = await wire.mailTo(email)
    if (old.code !== code) assert.equal((await wire.verify(email, old.code)).status, 403)
    const second = round % 2 ? wire.verifyLink(tokenHash) : wire.verify(email, code)
    const answers = await Promise.all([wire.verify(email, code), second])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403])
  }
  const { sessions } = await testApp.db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('sessions'))
    .executeTakeFirstOrThrow()
  assert.equal(Number(sessions), rounds)
  return { rounds, sessions: Number(sessions) }
}

/** S4: an address is flooded with mails through every door, from everywhere, for an hour. */
export async function floodMailbox(testApp: TestApp, requests: number): Promise<Figures> {
  const wire = authWire(testApp)
  const email = 'flooded@example.com'
  await wire.enter(email)
  testApp.clock.advance(60 * MINUTE_MS)
  const start = testApp.clock.now().getTime()
  const doors: [path: string, body: object][] = [
    ['/otp', { email }],
    ['/recover', { email }],
    ['/resend', { email, type: 'signup' }],
    ['/magiclink', { email }],
  ]
  const mailedAt: number[] = []
  let refused = 0
  for (let request = 0; request < requests; request++) {
    testApp.clock.set(new Date(start + Math.floor((request * (60 * MINUTE_MS - 1)) / requests)))
    const [path, body] = doors[request % doors.length] ?? ['/otp', { email }]
    const answer = await wire.call('POST', path, { body, ip: sourceAddress(request) })
    if (answer.status === 429) {
      refused += 1
      assert.ok(Number(answer.headers['retry-after']) > 0)
    }
    for (const mail of await deliverSignInMails(testApp)) {
      assert.equal(mail.to, email)
      mailedAt.push(testApp.clock.now().getTime())
    }
  }
  assert.ok(mailedAt.length > 0 && mailedAt.length <= 5, `${mailedAt.length} mails within the hour`)
  const gaps = mailedAt.slice(1).map((instant, index) => instant - (mailedAt[index] ?? 0))
  assert.ok(gaps.every((gap) => gap >= MINUTE_MS))
  return { requests, mails: mailedAt.length, refused, 'shortest gap, s': Math.min(...gaps) / 1000 }
}
