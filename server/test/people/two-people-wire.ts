import { KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import { endpoints } from '@tradepost/contract/endpoints'
import { PUSH_OFF_PATH, PUSH_RENEW_PATH } from '@tradepost/contract/push-worker'
import { EMAIL_UNDO_PATH, UNDO_PATH } from '../../src/auth/factors/undo-token.ts'
import { makeLinkToken } from '../../src/auth/keys/link-token.ts'
import { makeSecretKey } from '../../src/auth/keys/secret-key.ts'
import { LEAVE_PATH, LEAVING_PATH, leaveUrl } from '../../src/billing/leaving/leave-link.ts'
import { REOPEN_PATH } from '../../src/closing/reopen-link.ts'
import { EXPORT_PATH } from '../../src/exports/links/export-token.ts'
import { UNSUBSCRIBE_PATH, UNSUBSCRIBE_WAYS } from '../../src/mail/unsubscribe/unsubscribe-url.ts'
import { deliverAccountCodes } from '../sign-in/account-codes.ts'
import { authWire } from '../sign-in/auth-wire.ts'
import { authenticatorCode } from '../sign-in/authenticator.ts'
import { secondFactor } from '../sign-in/second-factor.ts'
import { bearer, signIn, tokenOf } from '../sign-in/sign-in.ts'
import type { Person } from './two-people.ts'
import { ask, FORM, type World } from './two-people-ask.ts'
import { type Call, endedTrial, newSession, paidMonth, type Sent } from './two-people-calls.ts'
import {
  makeBrowser,
  makeEmailUndo,
  makeExportToken,
  makeVerifier,
  readUndoToken,
} from './two-people-things.ts'

type Own = Call['own']

let addresses = 0
function newEmail(): string {
  addresses += 1
  return `newcomer-${addresses}@example.com`
}

/** A code by mail, which five wrong ones end: the sender's is of a new address each time. */
const ownCode: Own = async ({ testApp }, { mail, renews }) => {
  const { code, to } = renews ? await authWire(testApp).mailTo(newEmail()) : mail
  return { body: { type: 'email', email: to, token: code } }
}

const ownLink =
  (place: 'body' | 'query'): Own =>
  async ({ testApp }, { mail, renews }) => {
    const { tokenHash } = renews ? await authWire(testApp).mailTo(newEmail()) : mail
    if (place === 'query') return { query: { token: tokenHash, type: 'magiclink', redirect_to: '/account' } }
    return { body: { type: 'email', token_hash: tokenHash } }
  }

const askForMail =
  (more: object): Own =>
  (_world, { email, knownDevice }) => ({
    body: { email, ...more, code_challenge: makeVerifier().challenge, code_challenge_method: 's256' },
    headers: { [KNOWN_DEVICE_HEADER]: knownDevice },
  })

const ownNonce: Own = async ({ testApp }, { nonce, renews }) => {
  if (!renews) return { body: { data: {}, nonce } }
  const wire = authWire(testApp)
  const { access_token: token } = await wire.enter(newEmail())
  await wire.call('GET', '/reauthenticate', { token })
  const [mail] = await deliverAccountCodes(testApp)
  return { body: { data: { nickname: 'Sender' }, nonce: mail?.code }, token }
}

async function beginFactor(world: World, { session }: Person): Promise<{ id: string; secret: string }> {
  // There are ten at most, and those that were begun count.
  await world.testApp.pool.query("delete from mfa_factors where user_id = $1 and status = 'unverified'", [
    session.user.id,
  ])
  const wire = authWire(world.testApp)
  return secondFactor(world.testApp, wire).enrol(session.access_token, newEmail())
}

const factorId: Own = async (world, person) => ({
  params: { id: (await beginFactor(world, person)).id },
  body: {},
})

async function factorAnswer(world: World, person: Person): Promise<Sent> {
  const { id, secret } = await beginFactor(world, person)
  const token = person.session.access_token
  const challenge = { method: 'POST', url: `/auth/v1/factors/${id}/challenge`, token, body: {} } as const
  const challengeId = (await ask(world, challenge)).body.id
  return {
    params: { id },
    body: { challenge_id: challengeId, code: authenticatorCode(secret, world.testApp.clock.now()) },
    headers: { [KNOWN_DEVICE_HEADER]: person.knownDevice },
  }
}

/** Signing out ends a session that was made for it. */
const ownScope: Own = async (world, person) => ({
  query: { scope: 'local' },
  token: await tokenOf(world.testApp, { ...person, sessionId: await newSession(world, person) }),
})

const unsubscribing: Own = (_world, { unsubscribeToken }) => ({ params: { token: unsubscribeToken } })

/** The link of somebody new whose account is closed: nobody in the world can close theirs and go on. */
const reopening: Own = async ({ testApp }) => {
  const person = await signIn(testApp)
  const closed = await testApp.app.inject({
    method: 'POST',
    url: endpoints.closeAccount.path,
    payload: { confirm: true },
    headers: bearer(await tokenOf(testApp, person)),
  })
  if (closed.statusCode !== 200) throw new Error(`closing answered ${closed.body}`)
  const { rows } = await testApp.pool.query('select id from closings where user_id = $1', [person.userId])
  const secret = makeSecretKey(testApp.settings.authSecret)
  return { params: { token: makeLinkToken(secret, 'reopenings', rows[0].id) }, headers: FORM }
}

/** The footer of a mail about a month that was paid just now: one that mails a link once in ten minutes. */
const leavingByFooter: Own = async (world, person) => {
  const { db, pool, settings } = world.testApp
  const id = await paidMonth(world, person)
  const { rows } = await pool.query('select unsubscribe_token as token from subscriptions where id = $1', [
    id,
  ])
  await db.deleteFrom('leave_requests').where('subscriber_id', '=', person.userId).execute()
  const secret = makeSecretKey(settings.authSecret)
  const url = leaveUrl({ origin: '', secret }, rows[0].token, world.testApp.clock.now())
  return { params: { token: url.split('/').at(-1) ?? '' }, headers: FORM }
}

/** The link that was mailed for it. */
const leavingByMail =
  (make: (world: World, person: Person) => Promise<string>): Own =>
  async (world, person) => {
    const { clock, pool, settings } = world.testApp
    const subscriptionId = await make(world, person)
    const { rows } = await pool.query(
      `insert into leave_requests (id, trader_id, subscription_id, subscriber_id, created_at, expires_at)
       select gen_random_uuid(), trader_id, id, subscriber_id, $2, $3 from subscriptions where id = $1 returning id`,
      [subscriptionId, clock.now(), new Date(clock.now().getTime() + 3_600_000)],
    )
    const secret = makeSecretKey(settings.authSecret)
    return { params: { token: makeLinkToken(secret, 'leave-requests', rows[0].id) }, headers: FORM }
  }

/** Undoing takes the factor away, so that somebody new does it in the sender's place. */
const undoing =
  (withCode: boolean): Own =>
  async (world, { renews, undoCode, undoToken }) => {
    const headers = FORM
    const form = (code: string | undefined) => (withCode ? { body: { code } } : {})
    if (!renews) return { params: { token: undoToken }, ...form(undoCode), headers }
    const email = newEmail()
    await secondFactor(world.testApp, authWire(world.testApp)).join(email)
    const token = await readUndoToken(world, email)
    await ask(world, { method: 'POST', url: UNDO_PATH.replace(':token', token), headers, body: '' })
    const [mail] = await deliverAccountCodes(world.testApp)
    return { params: { token }, ...form(mail?.code), headers }
  }

/** A file is given once, so that somebody new takes one in the sender's place. */
const takingFile: Own = async (world, { exportToken, renews }) => {
  if (!renews) return { params: { token: exportToken } }
  const { access_token: token } = await authWire(world.testApp).enter(newEmail())
  return { params: { token: await makeExportToken(world, token) } }
}

/** It ends every session, so that somebody new does it in the sender's place. */
const takingBack: Own = async (world, { emailUndoToken, renews }) => {
  if (!renews) return { params: { token: emailUndoToken }, headers: FORM }
  const { user } = await authWire(world.testApp).enter(newEmail())
  const token = await makeEmailUndo(world, { email: user.email, userId: user.id })
  return { params: { token }, headers: FORM }
}

/** @param name method and path, and in brackets which of its ways it is */
function call(name: string, own: Own, answers = 200): Call {
  const [method = '', path = ''] = name.split(' ')
  return { name, method: method as Call['method'], path, own, answers }
}

const nothing: Own = () => ({})

/** The calls of the sign-in wire, and those that take a secret alone. */
export const otherCalls: Call[] = [
  call('GET /auth/v1/user', nothing),
  call('GET /auth/v1/reauthenticate', nothing),
  call('GET /auth/v1/user/identities/authorize', () => ({ query: { provider: 'google' } }), 404),
  call(
    'DELETE /auth/v1/user/identities/:id',
    (_world, { session }) => ({
      params: { id: session.user.identities[0]?.identity_id ?? '' },
    }),
    404,
  ),
  call('POST /auth/v1/otp', askForMail({ create_user: true })),
  call('POST /auth/v1/resend', askForMail({ type: 'signup' })),
  call('POST /auth/v1/resend (address)', (_world, { email }) => ({ body: { type: 'email_change', email } })),
  call('POST /auth/v1/recover', askForMail({})),
  call('POST /auth/v1/verify', ownCode),
  call('POST /auth/v1/verify (link)', ownLink('body')),
  call('GET /auth/v1/verify', ownLink('query'), 303),
  call('POST /auth/v1/link', async (world, person) => {
    const { body } = await ownLink('body')(world, person)
    return { body: { token_hash: (body as { token_hash: string }).token_hash } }
  }),
  call('POST /auth/v1/returned', (_world, { email }) => ({
    body: { email, code_challenge: makeVerifier().challenge },
  })),
  call('POST /auth/v1/token (refresh)', (_world, { session }) => ({
    query: { grant_type: 'refresh_token' },
    body: { refresh_token: session.refresh_token },
  })),
  call('POST /auth/v1/token (PKCE)', (_world, { authCode, verifier }) => ({
    query: { grant_type: 'pkce' },
    body: { auth_code: authCode, code_verifier: verifier },
  })),
  call('PUT /auth/v1/user', ownNonce),
  call('POST /auth/v1/factors', async (world, person) => {
    await beginFactor(world, person)
    return { body: { factor_type: 'totp', friendly_name: 'A phone', issuer: 'Tradepost' } }
  }),
  call('POST /auth/v1/factors/:id/challenge', factorId),
  call('POST /auth/v1/factors/:id/verify', factorAnswer),
  call('DELETE /auth/v1/factors/:id', factorId),
  call('POST /auth/v1/logout', ownScope, 204),
  call(`POST ${PUSH_RENEW_PATH}`, (_world, { browser, device }) => ({
    body: { token: device.token, subscription: makeBrowser(browser.publicKey) },
  })),
  call(`POST ${PUSH_OFF_PATH}`, (_world, { device }) => ({ body: { token: device.token } })),
  call(`GET ${UNSUBSCRIBE_PATH}`, unsubscribing),
  call(`POST ${UNSUBSCRIBE_PATH}`, unsubscribing),
  ...UNSUBSCRIBE_WAYS.flatMap((way) => [
    call(`GET ${UNSUBSCRIBE_PATH}/${way}`, unsubscribing),
    call(`POST ${UNSUBSCRIBE_PATH}/${way}`, unsubscribing),
  ]),
  call(`GET ${UNDO_PATH}`, undoing(false)),
  call(`POST ${UNDO_PATH} (code)`, undoing(true)),
  call(`POST ${UNDO_PATH}`, undoing(false)),
  call(`GET ${REOPEN_PATH}`, reopening),
  call(`POST ${REOPEN_PATH}`, reopening),
  call(`GET ${LEAVE_PATH}`, leavingByFooter),
  call(`POST ${LEAVE_PATH}`, leavingByFooter),
  ...['', '/cancel', '/withdraw'].flatMap((way) => [
    call(`GET ${LEAVING_PATH}${way}`, leavingByMail(paidMonth)),
    call(`POST ${LEAVING_PATH}${way}`, leavingByMail(way === '/cancel' ? endedTrial : paidMonth)),
  ]),
  call(`GET ${EXPORT_PATH}`, takingFile),
  call(`POST ${EXPORT_PATH}`, takingFile),
  call(`GET ${EMAIL_UNDO_PATH}`, takingBack),
  call(`POST ${EMAIL_UNDO_PATH}`, takingBack),
  // Last, since answers to the sender name the address that they want from then on.
  call('PUT /auth/v1/user (address)', () => ({ body: { email: newEmail() } })),
]

/** Routes without a person: they have no parameter, or one that Stripe has signed. */
export const ABOUT_NOBODY = [
  'GET /auth/v1/.well-known/jwks.json',
  'GET /auth/v1/health',
  'GET /auth/v1/settings',
  'GET /healthz',
  'GET /openapi.json',
  'GET /readyz',
  // Everybody's, and the same for all (rule G-116).
  'GET /record/checkpoint',
  'GET /record/consistency',
  'GET /record/gaps',
  'GET /record/keys',
  'GET /record/openings/:index',
  'GET /record/proof',
  'GET /record/traders/:username',
  'POST /webhooks/stripe',
  'POST /webhooks/stripe/accounts',
]
