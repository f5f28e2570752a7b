import { KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import { endpoints } from '@tradepost/contract/endpoints'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { wrongAuthenticatorCode } from '../../../test/sign-in/authenticator.ts'
import { type Factor, secondFactor } from '../../../test/sign-in/second-factor.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'

const EMAIL = 'ada@example.com'
const MINUTE_MS = 60_000
/** Of the right form, and nobody's: all of it is drawn by chance. */
const WRONG_RECOVERY = 'ZZZZZ-ZZZZZ'

/** A device in a session. @property device what it was given when it passed the second step */
type Device = { token: string; device?: string }

async function open(
  settings: { limitsOn?: boolean; codeSpacingSeconds?: number } = { limitsOn: false },
  ip?: string,
) {
  const testApp = await buildTestApp({ settings })
  return { ...play(testApp, ip), [Symbol.asyncDispose]: () => testApp.close() }
}

/** @param ip of every call about factors; unless given, each comes from a network of its own */
function play(testApp: TestApp, ip?: string) {
  const wire = authWire(testApp)
  const person = secondFactor(testApp, wire)
  let calls = 0
  const call = (path: string, { token, device }: Device, body: object) =>
    wire.call('POST', path, {
      token,
      body,
      ip: ip ?? `10.1.${Math.floor(++calls / 250)}.${calls % 250}`,
      ...(device && { device }),
    })
  const challenge = async (who: Device, { id }: Factor) =>
    String((await call(`/factors/${id}/challenge`, who, {})).body.id)
  const give = async (who: Device, factor: Factor, code: string, challengeId?: string) => {
    const body = { challenge_id: challengeId ?? (await challenge(who, factor)), code }
    return call(`/factors/${factor.id}/verify`, who, body)
  }
  const signIn = async (device?: string): Promise<Device> => {
    const { access_token: token } = await wire.enter(EMAIL)
    return { token, ...(device && { device }) }
  }
  /** Somebody who reads the mailbox tries codes. @returns what came of each */
  const guess = async (who: Device, factor: Factor, { code, times }: { code: string; times: number }) => {
    const outcomes: unknown[] = []
    let challengeId = ''
    for (let tried = 0; tried < times; tried++) {
      if (tried % 5 === 0) challengeId = await challenge(who, factor)
      outcomes.push((await give(who, factor, code, challengeId)).body.code)
    }
    return outcomes
  }
  return {
    testApp,
    wire,
    person,
    signIn,
    give,
    guess,
    challenge,
    wrong: ({ secret }: Factor) => wrongAuthenticatorCode(secret, testApp.clock.now()),
    /** Ada's own device, which has passed the second step, and her recovery codes. */
    async join() {
      const first = await signIn()
      const factor = await person.enrol(first.token)
      const passed = await give(first, factor, person.codeOf(factor))
      expect(passed.status, passed.text).toBe(200)
      const token = String(passed.body.access_token)
      const { method, path } = endpoints.makeRecoveryCodes
      const made = await testApp.app.inject({ method, url: path, headers: bearer(token) })
      expect(made.statusCode).toBe(201)
      testApp.clock.advance(30_000)
      const codes: string[] = made.json().codes
      return { factor, token, device: String(passed.headers[KNOWN_DEVICE_HEADER]), codes }
    },
    /** The waiting mails about tries. */
    mails: () => takeMails(testApp, ['second_factor_tried']),
  }
}

const LOOKED_AT = 'mfa_verification_failed'
const WAITS = 'over_request_rate_limit'

function lookedAt(outcomes: unknown[]): number {
  return outcomes.filter((code) => code === LOOKED_AT).length
}

test('five hundred tries from the mailbox keep a device that has passed before from neither its app nor its recovery codes', async () => {
  await using stage = await open({ codeSpacingSeconds: 0 })
  const { join, signIn, give, guess, person, wrong, mails } = stage
  const { factor, device, codes } = await join()
  const known = await signIn(device)
  const thieves = [await signIn(), await signIn()] as const
  const outcomes = await Promise.all([
    guess(thieves[0], factor, { code: wrong(factor), times: 250 }),
    guess(thieves[1], factor, { code: WRONG_RECOVERY, times: 250 }),
  ])
  expect(outcomes.map(lookedAt)).toEqual([10, 10])

  const recovered = await give(known, factor, codes[0] ?? '')
  expect(recovered.status, recovered.text).toBe(200)
  // Still the same device, in another session: passing ends those that wait for it.
  expect((await give(await signIn(device), factor, person.codeOf(factor))).status).toBe(200)
  expect(await mails()).toHaveLength(1)
})

test('tries from the owner’s own network keep the owner out no more than others', async () => {
  await using stage = await open({ codeSpacingSeconds: 0 }, '192.0.2.7')
  const { join, signIn, give, guess, person, wrong } = stage
  const { factor, device, codes } = await join()
  const elsewhere = await signIn()
  const outcomes = await guess(await signIn(), factor, { code: wrong(factor), times: 100 })
  expect(lookedAt(outcomes)).toBe(10)
  expect((await give(elsewhere, factor, codes[0] ?? '')).status).toBe(200)
  expect((await give(await signIn(device), factor, codes[1] ?? '')).status).toBe(200)
  expect((await give(await signIn(device), factor, person.codeOf(factor))).status).toBe(200)
})

test('on a device that has not passed before, a recovery code works meanwhile, and the app after a quarter of an hour', async () => {
  await using stage = await open({ codeSpacingSeconds: 0 })
  const { join, signIn, give, guess, person, wrong, testApp } = stage
  const { factor, codes } = await join()
  const elsewhere = await signIn()
  await guess(await signIn(), factor, { code: wrong(factor), times: 50 })
  const app = await give(elsewhere, factor, person.codeOf(factor))
  expect([app.status, app.body.code, app.headers['retry-after']]).toEqual([429, WAITS, '900'])
  expect((await give(elsewhere, factor, codes[0] ?? '')).status).toBe(200)
  const again = await signIn()
  testApp.clock.advance(15 * MINUTE_MS - 1)
  const soon = await give(again, factor, person.codeOf(factor))
  expect([soon.status, soon.headers['retry-after']]).toEqual([429, '1'])
  testApp.clock.advance(1)
  expect((await give(again, factor, person.codeOf(factor))).status).toBe(200)
})

test('wrong recovery codes close recovery codes to everybody else for a quarter of an hour, and nothing else', async () => {
  await using stage = await open()
  const { join, signIn, give, guess, person, testApp } = stage
  const { factor, device, codes } = await join()
  const thief = await signIn()
  const outcomes = await guess(thief, factor, { code: WRONG_RECOVERY, times: 100 })
  expect(lookedAt(outcomes)).toBe(10)
  const blocked = await give(await signIn(), factor, codes[0] ?? '')
  expect([blocked.status, blocked.headers['retry-after']]).toEqual([429, '900'])
  expect((await give(await signIn(device), factor, codes[0] ?? '')).status).toBe(200)
  expect((await give(await signIn(), factor, person.codeOf(factor))).status).toBe(200)
  testApp.clock.advance(15 * MINUTE_MS)
  expect((await give(await signIn(), factor, codes[1] ?? '')).status).toBe(200)
})

test('a device that has passed before has ten tries of each kind too, which take none from others', async () => {
  await using stage = await open()
  const { join, signIn, give, guess, person, wrong } = stage
  const { factor, device, codes } = await join()
  const known = await signIn(device)
  expect(lookedAt(await guess(known, factor, { code: wrong(factor), times: 15 }))).toBe(10)
  expect((await give(known, factor, person.codeOf(factor))).status).toBe(429)
  expect(lookedAt(await guess(known, factor, { code: WRONG_RECOVERY, times: 15 }))).toBe(10)
  expect((await give(known, factor, codes[0] ?? '')).status).toBe(429)
  expect((await give(await signIn(), factor, person.codeOf(factor))).status).toBe(200)
  expect((await give(await signIn(), factor, codes[0] ?? '')).status).toBe(200)
})

test('a device that has proved the mailbox alone counts as everybody else, also when it did so before the factor was set up', async () => {
  await using stage = await open()
  const { wire, join, signIn, give, guess, person, wrong } = stage
  const { device: ofMailbox } = await wire.enterAgain(EMAIL)
  expect(ofMailbox).toMatch(/^[\w-]{63}$/)
  const { factor, device } = await join()
  const thief = await signIn(ofMailbox)
  expect(lookedAt(await guess(thief, factor, { code: wrong(factor), times: 11 }))).toBe(10)
  // With every other proof the count is the same one.
  for (const shown of ['', 'x'.repeat(84), `${device.slice(0, -1)}${device.endsWith('A') ? 'E' : 'A'}`]) {
    expect((await give({ ...thief, device: shown }, factor, wrong(factor))).status, shown).toBe(429)
  }
  expect((await give(await signIn(device), factor, person.codeOf(factor))).status).toBe(200)
})

test('a device is known to the factor that it has passed, and to none that is set up after it', async () => {
  await using stage = await open()
  const { join, signIn, give, guess, person, wrong, testApp } = stage
  const { factor, token, device } = await join()
  expect((await person.remove(token, factor)).status).toBe(200)
  const next = await person.enrol((await signIn(device)).token, 'tablet')
  expect((await give(await signIn(device), next, person.codeOf(next))).status).toBe(200)
  testApp.clock.advance(30_000)
  await guess(await signIn(device), next, { code: wrong(next), times: 10 })
  expect((await give(await signIn(), next, person.codeOf(next))).status).toBe(429)
})

test('the owner is mailed at the tenth wrong try, once in a quarter of an hour whatever is tried', async () => {
  await using stage = await open()
  const { join, signIn, guess, wrong, mails, testApp } = stage
  const { factor, device } = await join()
  const thief = await signIn()
  await guess(thief, factor, { code: wrong(factor), times: 9 })
  await guess(thief, factor, { code: WRONG_RECOVERY, times: 9 })
  expect(await mails()).toEqual([])
  await guess(thief, factor, { code: wrong(factor), times: 1 })
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    to: EMAIL,
    subject: 'Wrong codes were tried at your second step',
    facts: { at: '2026-03-04T15:00:30.000Z', from: { device: 'Another program', network: 'local' } },
  })
  const text = mail?.text.replaceAll(/\s+/g, ' ')
  expect(text).toContain('Somebody who can read your e-mail')
  expect(text).toContain('10 wrong codes at the second step. Nobody got in.')
  expect(text).toContain('change the password of your e-mail first')
  expect(text).toContain('end every session that is not yours')

  await guess(thief, factor, { code: WRONG_RECOVERY, times: 10 })
  await guess({ ...thief, device }, factor, { code: wrong(factor), times: 10 })
  testApp.clock.advance(15 * MINUTE_MS - 1)
  await guess({ ...thief, device }, factor, { code: WRONG_RECOVERY, times: 10 })
  expect(await mails()).toEqual([])
  testApp.clock.advance(1)
  await guess(thief, factor, { code: wrong(factor), times: 10 })
  expect(await mails()).toHaveLength(1)
})

test('of fifty tries at once in five sessions ten are looked at, and one mail is sent', async () => {
  await using stage = await open()
  const { join, signIn, give, challenge, wrong, mails } = stage
  const { factor } = await join()
  const thieves: Device[] = []
  while (thieves.length < 5) thieves.push(await signIn())
  const tries = await Promise.all(
    [...thieves, ...thieves].map(async (who) => ({ who, challengeId: await challenge(who, factor) })),
  )
  const answers = await Promise.all(
    tries.flatMap(({ who, challengeId }) =>
      Array.from({ length: 5 }, () => give(who, factor, wrong(factor), challengeId)),
    ),
  )
  expect(lookedAt(answers.map(({ body }) => body.code))).toBe(10)
  expect(await mails()).toHaveLength(1)
})

test('nobody is mailed of tries at a factor that is still being set up', async () => {
  await using stage = await open()
  const { signIn, guess, person, wrong, mails } = stage
  const first = await signIn()
  const factor = await person.enrol(first.token)
  expect(lookedAt(await guess(first, factor, { code: wrong(factor), times: 11 }))).toBe(10)
  expect(await mails()).toEqual([])
})

test('calls that one session uses up are not counted for another one, of factors as of codes to change them', async () => {
  await using stage = await open({ codeSpacingSeconds: 0 })
  const { wire, join, signIn, give, person } = stage
  const { factor, token } = await join()
  const thief = await signIn()
  const elsewhere = await signIn()
  let last = 0
  for (let asked = 0; asked < 31; asked++) {
    const body = { data: { a: 1 } }
    last = (await wire.call('PUT', '/user', { token: thief.token, body })).status
  }
  expect(last).toBe(429)
  expect((await person.askForCode(token)).status).toBe(200)
  for (let asked = 0; asked < 31; asked++) last = (await give(thief, factor, 'x', crypto.randomUUID())).status
  expect(last).toBe(429)
  expect((await give(elsewhere, factor, person.codeOf(factor))).status).toBe(200)
})
