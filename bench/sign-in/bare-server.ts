/**
 * A server that shows the highest rate to be had for sign-in and session checks. It uses node:http alone, repeats the
 * recorded statements of the product on the same tables over the same kinds of connection, computes the same HMACs and
 * signatures with node:crypto, and answers the same fields. It has no framework, validation, limits or query builder.
 */
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { auditedEmail } from '../../server/src/auth/audit/audit.ts'
import { makeSecretKey } from '../../server/src/auth/keys/secret-key.ts'
import { makeRefreshToken } from '../../server/src/auth/sessions/refresh-tokens.ts'
import { isCodeOf } from '../../server/src/auth/sign-in/one-time-code.ts'
import { connectDatabase, prepareByText } from '../../server/src/platform/database/database.ts'
import { makePipelinedConnection } from '../../server/src/platform/database/pipelined-connection.ts'
import { newId } from '../../server/src/platform/ids.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { recordSignIn } from './record-sign-in.ts'
import type { Moment } from './recorded-statements.ts'

type Ask = { body: Record<string, string>; authorization: string | undefined }

const url = process.env.DATABASE_URL ?? ''
const database = connectDatabase({ url, size: 10, log: makeLog('silent', false) })
const { pool } = database
const pipelined = makePipelinedConnection({ connectionString: url }, prepareByText)
const secret = makeSecretKey(testSettings().authSecret)
const recorded = await recordSignIn({ ...database, url })
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const HEADER = encode({ alg: 'ES256', kid: newId(), typ: 'JWT' })

const routes: Record<string, (ask: Ask) => Promise<object>> = {
  'POST /auth/v1/otp': async ({ body }) => {
    const { email = '' } = body
    const emailHmac = auditedEmail(secret, email)
    await recorded.requestCode(pool, { now: new Date(), email, emailHmac, challengeId: newId() })
    return {}
  },
  'POST /auth/v1/verify': async ({ body }) => {
    const { email = '', token = '' } = body
    const now = new Date()
    const moment: Moment = { now, email, sessionId: newId() }
    await recorded.takeTry(pool, moment)
    const challenge = {
      id: String(moment.challengeId),
      email,
      purpose: 'sign_in',
      code_hmac: moment.codeHmac as Buffer,
      secret_key_id: recorded.secretKeyId,
    }
    if (!isCodeOf(secret, challenge, token)) throw new Error('a wrong code')
    await recorded.openSession(pool, moment)
    return answerSession(moment)
  },
  'GET /v1/accounts/configuration': async ({ authorization }) => {
    const { sub, session_id } = readToken(authorization ?? '')
    const moment: Moment = { now: new Date(), userId: sub, sessionId: session_id }
    await recorded.checkSession(pipelined, moment)
    return { ...recorded.account, email: moment.email }
  },
}

function answerSession({ now, email, userId, sessionId }: Moment): object {
  const seconds = Math.floor(now.getTime() / 1000)
  const changed = { sub: userId, session_id: sessionId, email, iat: seconds, exp: seconds + 3600 }
  const signed = `${HEADER}.${encode({ ...recorded.claims, ...changed })}`
  const signature = sign('sha256', Buffer.from(signed), { key: keys.privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    ...recorded.session,
    access_token: `${signed}.${signature.toString('base64url')}`,
    refresh_token: makeRefreshToken(secret, { sessionId: String(sessionId), counter: 0 }),
    expires_at: seconds + 3600,
    user: { ...recorded.session.user, id: userId, email },
  }
}

type Claims = { sub: string; session_id: string; exp: number }
/** Tokens whose signature was checked already: the product checks each signature once too. */
const verified = new Map<string, Claims>()

function readToken(authorization: string): Claims {
  const claims = verified.get(authorization) ?? verifyToken(authorization)
  if (claims.exp * 1000 < Date.now()) throw new Error('an old token')
  verified.set(authorization, claims)
  return claims
}

function verifyToken(authorization: string): Claims {
  const [header, payload = '', signature = ''] = authorization.slice('Bearer '.length).split('.')
  const signed = Buffer.from(`${header}.${payload}`)
  const key = { key: keys.publicKey, dsaEncoding: 'ieee-p1363' as const }
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) throw new Error('a forged token')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

async function readBody(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}
}

const server = createServer(async (request, response) => {
  try {
    const route = routes[`${request.method} ${request.url}`]
    if (!route) throw new Error('no such call')
    const body = request.method === 'POST' ? await readBody(request) : {}
    const text = JSON.stringify(await route({ body, authorization: request.headers.authorization }))
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))
