import { createECDH, createHash, randomBytes, randomUUID } from 'node:crypto'
import { activityItemId } from '@tradepost/contract/activity-item'
import { expect } from 'vitest'
import { writeCursor } from '../../src/activity/cursor.ts'
import { insertEmailUndo } from '../../src/auth/email-change/email-undos.queries.ts'
import { EMAIL_UNDO_PATH, undoUrl } from '../../src/auth/factors/undo-token.ts'
import { makeSecretKey } from '../../src/auth/keys/secret-key.ts'
import { writeResumeToken } from '../../src/feed/resume-token.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Trader } from '../factories.ts'
import { takeMails } from '../run-outbox.ts'
import { deliverAccountCodes } from '../sign-in/account-codes.ts'
import { authWire } from '../sign-in/auth-wire.ts'
import { type Factor, secondFactor } from '../sign-in/second-factor.ts'
import { deliverSignInMails } from '../sign-in/sign-in-mails.ts'
import { ask, FORM, takeKeyOf, type World } from './two-people-ask.ts'

/** A browser's subscription to a push service that nothing is sent to. */
export function makeBrowser(publicKey: string) {
  const ecdh = createECDH('prime256v1')
  const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
  return { endpoint: `http://127.0.0.1:9/send/${randomUUID()}`, keys, publicKey }
}

export function makeVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Sign-in and all that hangs on it: from then on the product takes a token of the session alone that was confirmed. */
export async function makeThings(world: World, trader: Trader, followed: Trader) {
  const { testApp } = world
  const wire = authWire(testApp)
  const second = secondFactor(testApp, wire)
  const entered = await wire.enterAgain(trader.email)
  const factor: Factor = await second.enrol(entered.session.access_token, `phone of ${trader.username}`)
  const session = await second.confirm(entered.session.access_token, factor)
  const token = session.access_token
  const post = async (url: string, body: object = {}) => {
    const answer = await ask(world, { method: 'POST', url, token, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const get = async (url: string) => (await ask(world, { method: 'GET', url, token })).body
  const { codes } = (await post('/v1/accounts/recovery-codes')) as { codes: string[] }
  const browser = makeBrowser(String((await get('/v1/push')).publicKey))
  const device = (await post('/v1/push/devices', browser)) as { id: string; token: string }
  await post('/v1/feedback', { feedback: `The words of ${trader.username} for the operator.` })
  const { wireUser, ...codesOfMails } = await makeMails(world, trader, token)
  const challenge = await wire.call('POST', `/factors/${factor.id}/challenge`, { token, body: {} })
  return {
    ...codesOfMails,
    wireUser,
    session,
    factor,
    challengeId: String(challenge.body.id),
    knownDevice: entered.device,
    recoveryCode: codes[0] ?? '',
    browser,
    device,
    exportToken: await makeExportToken(world, token),
    previewSymbol: `${trader.username.slice(-2)}LOOKED`,
    previewKey: await takeKeyOf(world, { ...trader, session }, `${trader.username.slice(-2)}LOOKED`),
    ...(await readPlaces(world, trader, followed)),
    seen: String((await get('/v1/activity')).seen),
    items: ((await get('/v1/activity')).items as { id: string }[]).map(({ id }) => id),
  }
}

/** A person's positions and events, pages that begin at them, and the links in mails of subscriptions. */
async function readPlaces({ testApp }: World, { userId, username }: Trader, followed: Trader) {
  const { rows } = await testApp.pool.query<{ id: string; active: boolean | null }>(
    'select id, active from positions where trader_id = $1',
    [userId],
  )
  const closedId = rows.find(({ active }) => !active)?.id ?? ''
  const links = await testApp.pool.query<{ token: string; own: boolean }>(
    `select unsubscribe_token as token, subscriber_id = $1 as own from subscriptions
     where subscriber_id = $1 or trader_id = $1`,
    [userId],
  )
  return {
    closedId,
    unsubscribeToken: links.rows.find(({ own }) => own)?.token ?? '',
    followerToken: links.rows.find(({ own }) => !own)?.token ?? '',
    ownItem: activityItemId(username, 3),
    activityCursor: writeCursor({ at: '2026-03-04T15:00:00.000000Z', traderId: userId, eventNo: 3 }),
    closedCursor: Buffer.from(`gain asc 0 ${closedId}`).toString('base64url'),
    resume: writeResumeToken(new Map([userId, followed.userId].map((id) => [id, 0]))),
  }
}

/** Makes mails of somebody whose links and codes still count. */
async function makeMails(world: World, { email, userId, username }: Trader, token: string) {
  const { testApp } = world
  const wire = authWire(testApp)
  const wireUser = await wire.call('PUT', '/user', {
    token,
    body: { data: { nickname: `Nickname ${username}` } },
  })
  const undoToken = await readUndoToken(world, email)
  await ask(world, { method: 'POST', url: `/mail/second-step/${undoToken}`, headers: FORM, body: '' })
  const [undo] = await deliverAccountCodes(testApp)
  await wire.call('GET', '/reauthenticate', { token })
  const [again] = await deliverAccountCodes(testApp)
  const pkce = makeVerifier()
  const asked = { code_challenge: pkce.challenge, code_challenge_method: 's256' }
  await wire.otp(email, asked)
  const { tokenHash } = await lastMail(world, email)
  const opened = await ask(world, {
    method: 'GET',
    url: `/auth/v1/verify?token=${tokenHash}&type=magiclink`,
  })
  const authCode = /code=([\w-]+)/.exec(opened.text)?.[1] ?? ''
  const mail = await wire.mailTo(email)
  const emailUndoToken = await makeEmailUndo(world, { email, userId })
  const made = {
    undoToken,
    emailUndoToken,
    undoCode: undo?.code,
    nonce: again?.code,
    authCode,
    verifier: pkce.verifier,
  }
  for (const [what, value] of Object.entries(made)) expect(value, what).toMatch(/\S/)
  return { ...made, mail, wireUser }
}

/** The token of the link to a file of one's data. @param token of a session that has just begun */
export async function makeExportToken(world: World, token: string): Promise<string> {
  const answer = await ask(world, { method: 'POST', url: '/v1/accounts/export', token, body: {} })
  expect(answer.status, answer.text).toBe(201)
  return String(answer.body.path).split('/').at(-1) ?? ''
}

/** A change of address that can be taken back; in this one both are the person's own. @returns the token of its mail */
export async function makeEmailUndo(
  { testApp }: World,
  { email, userId }: { email: string; userId: string },
): Promise<string> {
  const now = testApp.clock.now()
  const id = newId()
  await insertEmailUndo(testApp.db, {
    id,
    user_id: userId,
    old_email: email,
    new_email: email,
    created_at: now,
    expires_at: new Date(now.getTime() + 72 * 3_600_000),
  })
  const deps = { origin: '', secret: makeSecretKey(testApp.settings.authSecret) }
  return undoUrl(deps, 'email-undos', id).slice(EMAIL_UNDO_PATH.replace(':token', '').length)
}

/** The token in the mail to somebody who has turned the second step on. */
export async function readUndoToken({ testApp }: World, email: string): Promise<string> {
  const mails = await takeMails(testApp, ['second_factor_changed'])
  const text = mails.find(({ to }) => to === email)?.text ?? ''
  return /\/mail\/second-step\/(\S+)$/m.exec(text)?.[1] ?? ''
}

async function lastMail(world: World, email: string) {
  const mail = (await deliverSignInMails(world.testApp)).find(({ to }) => to === email)
  if (!mail) throw new Error('no mail came')
  return mail
}
