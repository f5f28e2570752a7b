import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { endpoints } from '@tradepost/contract/endpoints'
import { exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { makeAuthDeps } from '../../src/auth/keys/auth-deps.ts'
import type { TestApp } from '../build-test-app.ts'
import { authWire } from '../sign-in/auth-wire.ts'
import { bearer } from '../sign-in/sign-in.ts'
import type { Figures } from './guess-codes.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** S6: tokens that were never issued, of every kind of known attack. */
export async function forgeTokens(testApp: TestApp): Promise<Figures> {
  const wire = authWire(testApp)
  const { access_token: genuine } = await wire.enter('genuine@example.com')
  const stranger = await wire.enter('stranger@example.com')
  const forged = await forgeries(testApp, genuine, stranger.user.id)
  for (const [name, token] of Object.entries(forged)) {
    const user = await wire.user(token)
    assert.ok([401, 403].includes(user.status), `${name}: ${user.status}`)
    const product = await testApp.app.inject({ url: endpoints.configuration.path, headers: bearer(token) })
    assert.equal(product.statusCode, 401, name)
  }
  assert.equal((await wire.user(genuine)).status, 200)
  return { forged: Object.keys(forged).length, accepted: 0 }
}

async function forgeries(
  testApp: TestApp,
  genuine: string,
  otherUser: string,
): Promise<Record<string, string>> {
  const auth = makeAuthDeps(testApp)
  const now = testApp.clock.now()
  const [head = '', payload = '', signature = ''] = genuine.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const header = JSON.parse(Buffer.from(head, 'base64url').toString())
  const [jwk] = (await auth.signingKeys.published(now)) as [JWK]
  const publicKey = (await importJWK(jwk, 'ES256', { extractable: true })) as CryptoKey
  const pem = await exportSPKI(publicKey)
  const { key } = await auth.signingKeys.signing(now)
  const own = await generateKeyPair('ES256', { extractable: true })
  const rsa = await generateKeyPair('RS256')
  const sign = (
    changes: object,
    protectedHeader: object = {},
    by: CryptoKey | KeyObject | Uint8Array = key,
  ) => new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...protectedHeader }).sign(by)
  const hmac = (secret: string) => sign({}, { alg: 'HS256' }, Buffer.from(secret))
  const raw = (changed: object) => `${part({ ...header, ...changed })}.${payload}.${signature}`
  const edited = (changes: object) => `${head}.${part({ ...claims, ...changes })}.${signature}`
  return {
    'alg none': `${part({ ...header, alg: 'none' })}.${payload}.`,
    'alg None, in capitals': `${part({ ...header, alg: 'NONE' })}.${payload}.`,
    'alg none with the signature': raw({ alg: 'none' }),
    'no signature': `${head}.${payload}.`,
    'two parts': `${head}.${payload}`,
    'zero signature (r = s = 0)': `${head}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
    'HMAC over the PEM': await hmac(pem),
    'HMAC over the JWK': await hmac(JSON.stringify(jwk)),
    'HMAC over nothing': await hmac('\0'),
    'RS256 by a key of theirs': await sign({}, { alg: 'RS256' }, rsa.privateKey),
    'key of theirs, our kid': await sign({}, {}, own.privateKey),
    'key of theirs in the header': await sign({}, { jwk: { ...jwk } }, own.privateKey),
    'key set of theirs': await sign({}, { jku: 'https://elsewhere.example/jwks.json' }, own.privateKey),
    'certificate of theirs': await sign({}, { x5u: 'https://elsewhere.example/x5u' }, own.privateKey),
    'kid of a path': raw({ kid: '../../../../dev/null' }),
    'kid of SQL': raw({ kid: "' or 1=1 --" }),
    'kid of nobody': raw({ kid: crypto.randomUUID() }),
    'no kid': raw({ kid: undefined }),
    'critical header unknown': raw({ crit: ['b64'], b64: false }),
    'edited subject': edited({ sub: otherUser }),
    'edited aal': edited({ aal: 'aal2' }),
    'edited expiry': edited({ exp: claims.exp + 3600 }),
    'edited session': edited({ session_id: crypto.randomUUID() }),
    'other audience': await sign({ aud: 'elsewhere' }),
    'no audience': await sign({ aud: undefined }),
    'other issuer': await sign({ iss: 'https://elsewhere.example/auth/v1' }),
    'issuer with a slash more': await sign({ iss: `${claims.iss}/` }),
    expired: await sign({ exp: Math.floor(now.getTime() / 1000) }),
    'no expiry': await sign({ exp: undefined }),
    'not yet valid': await sign({ nbf: Math.floor(now.getTime() / 1000) + 60 }),
    'session of another': await sign({ sub: otherUser }),
    'session of nobody': await sign({ session_id: crypto.randomUUID() }),
    'session that is no id': await sign({ session_id: 'no-id' }),
  }
}
