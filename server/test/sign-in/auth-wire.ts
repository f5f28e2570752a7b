import { type AuthSession, KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import type { TestApp } from '../build-test-app.ts'
import { bearer } from './sign-in.ts'
import { deliverSignInMails, type SignInMail } from './sign-in-mails.ts'

export const WIRE_VERSION = { 'x-supabase-api-version': '2024-01-01' }

export type WireAnswer = {
  status: number
  body: Record<string, unknown> & { code?: string | number }
  headers: Record<string, unknown>
  text: string
}

/** Speaks the sign-in wire as auth-js does. */
export function authWire(testApp: TestApp) {
  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD',
    path: string,
    options: { body?: unknown; token?: string; ip?: string; device?: string } = {},
  ): Promise<WireAnswer> {
    const answer = await testApp.app.inject({
      method,
      url: `/auth/v1${path}`,
      headers: {
        ...WIRE_VERSION,
        ...(method !== 'GET' && method !== 'HEAD' && { 'content-type': 'application/json;charset=UTF-8' }),
        ...(options.token && bearer(options.token)),
        ...(options.device && { [KNOWN_DEVICE_HEADER]: options.device }),
      },
      ...(options.body !== undefined && { payload: JSON.stringify(options.body) }),
      remoteAddress: options.ip ?? '127.0.0.1',
    })
    const text = answer.body
    const isJson = String(answer.headers['content-type']).includes('json')
    return { status: answer.statusCode, body: isJson ? answer.json() : {}, headers: answer.headers, text }
  }

  const wire = {
    call,
    otp: (email: string, more: object = {}, ip?: string) =>
      call('POST', '/otp', { body: { email, create_user: true, ...more }, ...(ip && { ip }) }),
    verify: (email: string, token: string, ip?: string) =>
      call('POST', '/verify', { body: { email, token, type: 'email' }, ...(ip && { ip }) }),
    verifyLink: (token_hash: string) => call('POST', '/verify', { body: { token_hash, type: 'email' } }),
    refresh: (refresh_token: string) =>
      call('POST', '/token?grant_type=refresh_token', { body: { refresh_token } }),
    user: (token: string) => call('GET', '/user', { token }),
    signOut: (token: string, scope = 'global') => call('POST', `/logout?scope=${scope}`, { token }),
    /** Asks for a mail and reads it. */
    async mailTo(email: string): Promise<SignInMail> {
      const answer = await wire.otp(email)
      if (answer.status !== 200) throw new Error(`/otp answered ${answer.text}`)
      const mail = (await deliverSignInMails(testApp)).find(({ to }) => to === email.trim().toLowerCase())
      if (!mail) throw new Error('no mail came')
      return mail
    },
    /** The whole way in, by code. */
    async enter(email: string): Promise<AuthSession> {
      return (await wire.enterAgain(email)).session
    },
    /** As `enter`, with what the device is known by from then on. */
    async enterAgain(email: string): Promise<{ session: AuthSession; device: string }> {
      const { code } = await wire.mailTo(email)
      const answer = await wire.verify(email, code)
      if (answer.status !== 200) throw new Error(`/verify answered ${answer.text}`)
      const session = answer.body as unknown as AuthSession
      return { session, device: String(answer.headers[KNOWN_DEVICE_HEADER]) }
    },
  }
  return wire
}

/** A code that is surely not this one. */
export function wrongCode(code: string): string {
  return code === '000000' ? '000001' : '000000'
}
