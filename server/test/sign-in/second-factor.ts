import type { AuthSession } from '@tradepost/contract/auth'
import { expect } from 'vitest'
import type { TestApp } from '../build-test-app.ts'
import { deliverAccountCodes } from './account-codes.ts'
import type { authWire } from './auth-wire.ts'
import { authenticatorCode } from './authenticator.ts'

export type Factor = { id: string; secret: string }

/** The second step of signing in, over the wire, as a person and their authenticator app go it. */
export function secondFactor(testApp: TestApp, wire: ReturnType<typeof authWire>) {
  const person = {
    async enrol(token: string, name = ''): Promise<Factor> {
      const body = { factor_type: 'totp', friendly_name: name }
      const answer = await wire.call('POST', '/factors', { token, body })
      expect(answer.status, answer.text).toBe(200)
      const { id, totp } = answer.body as { id: string; totp: { secret: string } }
      return { id, secret: totp.secret }
    },
    /** Asks for a challenge and answers it. */
    async answer(token: string, factorId: string, code: string) {
      const challenge = await wire.call('POST', `/factors/${factorId}/challenge`, { token, body: {} })
      expect(challenge.status, challenge.text).toBe(200)
      const body = { challenge_id: challenge.body.id, code }
      return wire.call('POST', `/factors/${factorId}/verify`, { token, body })
    },
    codeOf: ({ secret }: Factor) => authenticatorCode(secret, testApp.clock.now()),
    tryToConfirm: (token: string, factor: Factor) => person.answer(token, factor.id, person.codeOf(factor)),
    /** @returns the session, renewed */
    async confirm(token: string, factor: Factor): Promise<AuthSession> {
      const confirmed = await person.tryToConfirm(token, factor)
      expect(confirmed.status, confirmed.text).toBe(200)
      return confirmed.body as unknown as AuthSession
    },
    remove: (token: string, { id }: Pick<Factor, 'id'>) => wire.call('DELETE', `/factors/${id}`, { token }),
    askForCode: (token: string) => wire.call('GET', '/reauthenticate', { token }),
    giveCode: (token: string, nonce: string) => wire.call('PUT', '/user', { token, body: { nonce } }),
    /** Proves the mailbox again. */
    async reauthenticate(token: string): Promise<void> {
      const asked = await person.askForCode(token)
      expect(asked.status, asked.text).toBe(200)
      const [mail] = await deliverAccountCodes(testApp)
      const given = await person.giveCode(token, mail?.code ?? '')
      expect(given.status, given.text).toBe(200)
    },
    /** Somebody with a confirmed factor, in a session at aal2. */
    async join(email: string): Promise<{ session: AuthSession; factor: Factor }> {
      const { access_token: token } = await wire.enter(email)
      const factor = await person.enrol(token)
      return { factor, session: await person.confirm(token, factor) }
    },
  }
  return person
}
