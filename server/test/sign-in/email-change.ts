import type { AuthSession } from '@tradepost/contract/auth'
import { expect } from 'vitest'
import type { TestApp } from '../build-test-app.ts'
import { takeMails } from '../run-outbox.ts'
import type { authWire, WireAnswer } from './auth-wire.ts'

export type AddressMail = { to: string; code: string | null; text: string }

/** A change of address over the sign-in wire, as a person with two mailboxes goes it. */
export function emailChange(testApp: TestApp, wire: ReturnType<typeof authWire>) {
  const change = {
    ask: (token: string, email: string) => wire.call('PUT', '/user', { token, body: { email } }),
    again: (email: string, token?: string) =>
      wire.call('POST', '/resend', { body: { type: 'email_change', email }, ...(token && { token }) }),
    /** @param token of the session that asked; without one as clients of the wire call */
    give: (email: string, code: string | null, token?: string) =>
      wire.call('POST', '/verify', {
        body: { type: 'email_change', email, token: code ?? '123456' },
        ...(token && { token }),
      }),
    /** The codes that wait in the mailboxes, by address. */
    async codes(): Promise<Record<string, string | null>> {
      const mails = await takeMails(testApp, ['old_address_code', 'new_address_code'])
      return Object.fromEntries(
        mails.map(({ subject, to }) => [to, /^\d{6} /.test(subject) ? subject.slice(0, 6) : null]),
      )
    },
    /** The whole way. @returns the answer to the second code */
    async make(session: AuthSession, email: string, token?: string): Promise<WireAnswer> {
      const old = session.user.email
      const asked = await change.ask(session.access_token, email)
      expect(asked.status, asked.text).toBe(200)
      const codes = await change.codes()
      const half = await change.give(old, codes[old] ?? null, token)
      expect(half.body, half.text).toEqual({ code: '200', msg: expect.stringContaining('other email') })
      return change.give(email, codes[email] ?? null, token)
    },
    /** The path of the link in the mail about the newest change, and whom that went to. */
    async undoLink(): Promise<{ to: string; path: string }> {
      const mail = (await takeMails(testApp, ['address_changed'])).at(-1)
      const link = /^Undo this change:\n(\S+)$/m.exec(mail?.text ?? '')?.[1] ?? ''
      return { to: mail?.to ?? '', path: new URL(link).pathname }
    },
    open: (path: string) => testApp.app.inject({ url: path }),
    undo: (path: string) =>
      testApp.app.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: '',
      }),
  }
  return change
}
