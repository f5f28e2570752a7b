import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { buildTestApp, type TestApp } from '../build-test-app.ts'
import type { TestDatabase } from '../database/database.ts'
import { authWire, wrongCode } from '../sign-in/auth-wire.ts'
import { authenticatorCode, wrongAuthenticatorCode } from '../sign-in/authenticator.ts'
import { deliverSignInMails } from '../sign-in/sign-in-mails.ts'
import type { Figures } from './guess-codes.ts'

/** S30: a scanner opens whatever a sign-in mail names, three times and by every method that asks for nothing. */
export async function scanMails(testApp: TestApp, mails: number): Promise<Figures> {
  const wire = authWire(testApp)
  let opened = 0
  for (let round = 0; round < mails; round++) {
    const email = `scanned-${round}@example.com`
    const { code, link, tokenHash } = await wire.mailTo(email)
    for (let time = 0; time < 3; time++) {
      const { pathname, search, hash } = new URL(link)
      assert.ok(hash.includes(tokenHash) && !`${pathname}${search}`.includes(tokenHash))
      for (const method of ['GET', 'HEAD'] as const) {
        await testApp.app.inject({ method, url: `${pathname}${search}` })
        // Scanners that follow fragments as if they were queries.
        await testApp.app.inject({ method, url: `${pathname}?${hash.slice(1)}` })
        opened += 2
      }
      const query = new URLSearchParams({ token: tokenHash, type: 'magiclink' })
      const head = await testApp.app.inject({ method: 'HEAD', url: `/auth/v1/verify?${query}` })
      assert.equal(head.headers.location, undefined)
      const shown = await wire.call('POST', '/link', { body: { token_hash: tokenHash } })
      assert.deepEqual(shown.body, { email })
      opened += 2
    }
    const entered = round % 2 ? await wire.verify(email, code) : await wire.verifyLink(tokenHash)
    assert.equal(entered.status, 200)
  }
  return { mails, opened, 'used up': 0 }
}

/**
 * S28: one of each secret goes over the wire, well and badly, with the log at its loudest; none of them is in the log
 * or in an error's answer.
 */
export async function plantCanaries(database?: TestDatabase): Promise<Figures> {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'trace' }, sink)
  await using testApp = await buildTestApp({
    settings: { limitsOn: false },
    log,
    ...(database && { database }),
  })
  const { canaries, errors } = await useEverything(testApp)
  const written = lines.join('')
  assert.match(written, /a sign-in request failed/)
  for (const [name, canary] of Object.entries(canaries)) {
    assert.ok(canary.length >= 6, name)
    assert.ok(!written.includes(canary), `${name} is in the log`)
    for (const error of errors) assert.ok(!error.includes(canary), `${name} is in an answer`)
  }
  return {
    canaries: Object.keys(canaries).length,
    'log lines': lines.length,
    errors: errors.length,
    found: 0,
  }
}

async function useEverything(testApp: TestApp) {
  const wire = authWire(testApp)
  const errors: string[] = []
  const refuse = async (answering: ReturnType<typeof wire.call>) => errors.push((await answering).text)
  const email = 'canary.address@example.com'
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  await wire.otp(email, { code_challenge: challenge, code_challenge_method: 's256' })
  const [mail] = await deliverSignInMails(testApp)
  if (!mail) throw new Error('no mail came')
  await refuse(wire.verify(email, wrongCode(mail.code)))
  const query = new URLSearchParams({ token: mail.tokenHash, type: 'magiclink' })
  const redirect = await wire.call('GET', `/verify?${query}`)
  const code = new URL(String(redirect.headers.location)).searchParams.get('code') ?? ''
  const grant = '/token?grant_type=pkce'
  await refuse(wire.call('POST', grant, { body: { auth_code: code, code_verifier: 'canary-verifier' } }))
  const entered = await wire.call('POST', grant, { body: { auth_code: code, code_verifier: verifier } })
  const { access_token: token, refresh_token } = entered.body as Record<string, string>
  const enrolled = await wire.call('POST', '/factors', { token: token ?? '', body: { factor_type: 'totp' } })
  const { id, totp } = enrolled.body as { id: string; totp: { secret: string } }
  const asked = await wire.call('POST', `/factors/${id}/challenge`, { token: token ?? '' })
  const answer = (totpCode: string) =>
    wire.call('POST', `/factors/${id}/verify`, {
      token: token ?? '',
      body: { challenge_id: asked.body.id, code: totpCode },
    })
  const now = testApp.clock.now()
  await refuse(answer(wrongAuthenticatorCode(totp.secret, now)))
  const raised = await answer(authenticatorCode(totp.secret, now))
  await refuse(wire.call('POST', '/otp', { body: { email: `${email} x` } }))
  await refuse(wire.call('PUT', '/user', { token: token ?? '', body: { data: { note: 'canary-data' } } }))
  // From here on every statement fails: messages of the database quote values.
  for (const table of ['sessions', 'auth_codes', 'otp_challenges', 'sign_in_addresses', 'mfa_factors']) {
    await testApp.db.schema.alterTable(table).renameTo(`${table}_away`).execute()
  }
  const newest = raised.body as Record<string, string>
  await refuse(wire.otp(email))
  await refuse(wire.refresh(newest.refresh_token ?? ''))
  await refuse(wire.user(newest.access_token ?? ''))
  await refuse(wire.verifyLink(mail.tokenHash))
  await refuse(wire.verify(email, mail.code))
  await refuse(wire.call('POST', grant, { body: { auth_code: code, code_verifier: verifier } }))
  const canaries = {
    email,
    link: mail.tokenHash,
    'auth code': code,
    verifier,
    'wrong verifier': 'canary-verifier',
    'access token': token ?? '',
    'refresh token': refresh_token ?? '',
    'newest access token': newest.access_token ?? '',
    'newest refresh token': newest.refresh_token ?? '',
    'second factor': totp.secret,
    'user data': 'canary-data',
    AUTH_SECRET: testApp.settings.authSecret,
  }
  return { canaries, errors }
}
