import { pino } from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { hurryMails, takeMails, waitingMails } from '../../../test/run-outbox.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { authenticatorCode } from '../../../test/sign-in/authenticator.ts'
import { MailError } from '../../mail/smtp/mailer.ts'
import type { Log } from '../../platform/log.ts'
import { makeSecretKey } from '../keys/secret-key.ts'
import { removeLostFactors } from './remove-lost-factors.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const wire = authWire(testApp)
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))

/** Sends the waiting mails. @param options.fault the mail server's answer instead of taking a mail */
async function deliver(options: { fault?: Error; log?: Log } = {}) {
  const mails = await takeMails(testApp, ['second_factor_changed'], options)
  return mails.map(({ to, id, subject, text, facts }) => ({ to, id, subject, text, facts }))
}

async function enrol(token: string, name: string) {
  const body = { factor_type: 'totp', friendly_name: name }
  const answer = await wire.call('POST', '/factors', { token, body })
  const { id, totp } = answer.body as { id: string; totp: { secret: string } }
  return { id, secret: totp.secret }
}

/** @returns the session's token, renewed */
async function confirm(token: string, { id, secret }: { id: string; secret: string }): Promise<string> {
  const challenge = await wire.call('POST', `/factors/${id}/challenge`, { token, body: {} })
  const code = authenticatorCode(secret, testApp.clock.now())
  const body = { challenge_id: challenge.body.id, code }
  const answer = await wire.call('POST', `/factors/${id}/verify`, { token, body, ip: '203.0.113.9' })
  expect(answer.status, answer.text).toBe(200)
  return String(answer.body.access_token)
}

const remove = (token: string, id: string) =>
  wire.call('DELETE', `/factors/${id}`, { token, ip: '198.51.100.7' })

test('the owner is mailed about every factor that comes to count and every one that goes, and about nothing else', async () => {
  const to = 'owner@example.com'
  const { access_token } = await wire.enter(to)
  const phone = await enrol(access_token, 'phone')
  expect(await deliver()).toEqual([])
  const token = await confirm(access_token, phone)
  expect(await deliver()).toMatchObject([
    {
      to,
      subject: 'Two-step verification was turned on',
      text: expect.stringContaining('Device: Another program\nNetwork: 203.0.113.*\n'),
      facts: {
        change: 'added',
        others: false,
        at: '2026-03-04T15:00:00.000Z',
        from: { device: 'Another program', network: '203.0.113.*' },
      },
    },
  ])
  // Signing in with it is no news, nor is an enrolment that was given up.
  testApp.clock.advance(30_000)
  await confirm((await wire.enter(to)).access_token, phone)
  await remove(token, (await enrol(token, 'given up')).id)
  expect(await deliver()).toEqual([])

  const tablet = await enrol(token, 'tablet')
  const both = await confirm(token, tablet)
  expect(await deliver()).toMatchObject([{ facts: { change: 'added', others: true } }])
  expect((await remove(both, tablet.id)).status).toBe(200)
  expect(await deliver()).toMatchObject([
    { facts: { change: 'removed', others: true, from: { network: '198.51.100.*' } } },
  ])
  testApp.clock.advance(30_000)
  const last = await confirm((await wire.enter(to)).access_token, phone)
  expect((await remove(last, phone.id)).status).toBe(200)
  expect(await deliver()).toMatchObject([
    { to, facts: { change: 'removed', others: false, at: '2026-03-04T15:01:00.000Z' } },
  ])
})

test('the mail about a removal by the operator names the operator', async () => {
  const to = 'lost@example.com'
  const { access_token } = await wire.enter(to)
  await confirm(access_token, await enrol(access_token, ''))
  await deliver()
  const deps = { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret) }
  expect(await removeLostFactors(deps, to, TEST_NOW)).toBe(1)
  expect(await deliver()).toMatchObject([
    {
      to,
      text: expect.stringContaining('By: the operator of Tradepost'),
      facts: { change: 'removed', others: false, from: null },
    },
  ])
})

test('a mail server that is down loses nothing; the outbox holds neither address nor secret, and keeps the Message-ID', async () => {
  const to = 'down@example.com'
  const { access_token } = await wire.enter(to)
  const factor = await enrol(access_token, '')
  await confirm(access_token, factor)
  const [waiting] = await waitingMails(testApp.db, 'second_factor_changed')
  const text = JSON.stringify(waiting)
  expect(text).not.toContain(to)
  expect(text).not.toContain(factor.secret)
  expect(await deliver({ fault: new Error('down') })).toEqual([])
  expect(await waitingMails(testApp.db, 'second_factor_changed')).toMatchObject([
    { tries: 1, fault: expect.any(String) },
  ])
  await hurryMails(testApp.db)
  expect(await deliver()).toMatchObject([{ to, id: waiting?.id }])
  expect(await deliver()).toEqual([])
})

test('a mail that will never be taken is given up, and logged without the address', async () => {
  const to = 'nowhere@example.com'
  const { access_token } = await wire.enter(to)
  await confirm(access_token, await enrol(access_token, ''))
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const fault = new MailError(
    Object.assign(new Error(`550 5.1.1 <${to}> unknown`), {
      code: 'EENVELOPE',
      command: 'RCPT TO',
      responseCode: 550,
      response: `550 5.1.1 <${to}> unknown`,
    }),
  )
  expect(fault.refused).not.toBeNull()
  expect(await deliver({ fault, log })).toEqual([])
  expect(await waitingMails(testApp.db, 'second_factor_changed')).toEqual([])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"replyCode":550')
  expect(lines[0]).not.toContain(to)
})
