import type { Factor, Session } from '@supabase/auth-js'
import { expect, test } from 'vitest'
import { withoutCallback } from './callback.ts'
import { callbackFailure } from './callback-failure.ts'
import { sameState, stateOf } from './session-state.ts'
import { mailedLinkOf } from './sign-in.ts'

function session(aal: string, factors: Partial<Factor>[]): Session {
  const payload = btoa(JSON.stringify({ aal })).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return { access_token: `h.${payload}.s`, user: { id: 'u1', email: 'a@b.c', factors } } as unknown as Session
}

test('a verified factor asks for the second step, and aal2 has taken it', () => {
  const factors: Partial<Factor>[] = [
    { id: 'f1', status: 'verified' },
    { id: 'f2', status: 'unverified' },
  ]
  expect(stateOf(session('aal1', factors))).toEqual({
    status: 'needs_factor',
    userId: 'u1',
    email: 'a@b.c',
    factorIds: ['f1'],
  })
  expect(stateOf(session('aal2', [{ status: 'verified' }])).status).toBe('signed_in')
  expect(stateOf(session('aal1', [{ status: 'unverified' }])).status).toBe('signed_in')
  expect(stateOf(session('aal1', [])).status).toBe('signed_in')
  expect(stateOf(null).status).toBe('signed_out')
})

test('the same session again changes nothing', () => {
  expect(sameState(stateOf(session('aal1', [])), stateOf(session('aal1', [])))).toBe(true)
  expect(sameState(stateOf(session('aal1', [])), stateOf(null))).toBe(false)
})

const at = (path: string) => new URL(path, 'https://example.com')

const clean = at('/')
const urlError = (message: string) => ({ name: 'AuthImplicitGrantRedirectError', message })

test('the description of a rejected callback is shown where it is one of the sign-in wire, and no words of the address’s author', () => {
  const failureOf = (path: string) => callbackFailure(at(path), urlError('m'), clean)
  const expired = 'Email link is invalid or has expired'
  expect(failureOf('/#error=access_denied&error_description=Email+link+is+invalid+or+has+expired')).toBe(
    expired,
  )
  for (const words of ['Link expired', 'Your account is on hold. Call +1 555 0100.', `${expired}.`, ' '])
    expect(failureOf(`/login?error=x&error_description=${encodeURIComponent(words)}`)).toBe(
      "It looks like that didn't work.",
    )
  expect(callbackFailure(at('/?tab=personal'), null, at('/?tab=personal'))).toBeNull()
})

test('without a description, the sentence of the sign-in client about the URL is shown', () => {
  const failureOf = (path: string, message: string) => callbackFailure(at(path), urlError(message), clean)
  const unspecified = 'Error in URL with unspecified error_description'
  expect(failureOf('/#error=access_denied', unspecified)).toBe(unspecified)
  expect(failureOf('/#access_token=x', 'No session defined in URL')).toBe('No session defined in URL')
  const error = { name: 'AuthPKCEGrantCodeExchangeError', message: 'Not a valid PKCE flow url.' }
  expect(callbackFailure(at('/#access_token=x'), error, clean)).toBe('Not a valid PKCE flow url.')
})

test.each([
  ['AuthApiError', 'invalid flow state, no valid flow state found'],
  ['AuthRetryableFetchError', 'Failed to fetch'],
])('a code that could not be traded (%s) has the one sentence', (name, message) => {
  expect(callbackFailure(at('/?code=1'), { name, message }, at('/?code=1'))).toBe(
    "It looks like that didn't work.",
  )
})

test('a code that this browser cannot trade is reported, one that it has traded is not', () => {
  expect(callbackFailure(at('/?code=1'), null, at('/?code=1'))).toBe(
    'This link works only in the browser that asked for it.',
  )
  expect(callbackFailure(at('/?code=1'), null, clean)).toBeNull()
})

test('the traces of a redirect are taken out of the address, the rest stays', () => {
  expect(withoutCallback(at('/?tab=all&code=1#error=x&error_code=y&sb=')).href).toBe(
    'https://example.com/?tab=all',
  )
  expect(withoutCallback(at('/login#token_hash=abc&type=email')).href).toBe(
    'https://example.com/login#token_hash=abc&type=email',
  )
  expect(withoutCallback(at('/account#feedback')).href).toBe('https://example.com/account#feedback')
})

test('the secret of a link is in the fragment', () => {
  expect(mailedLinkOf('#token_hash=abc&type=email')).toEqual({ tokenHash: 'abc', type: 'email' })
  expect(mailedLinkOf('#token_hash=abc&type=recovery')).toEqual({ tokenHash: 'abc', type: 'recovery' })
  expect(mailedLinkOf('#token_hash=abc')).toEqual({ tokenHash: 'abc', type: 'email' })
  expect(mailedLinkOf('#feedback')).toBeNull()
  expect(mailedLinkOf('')).toBeNull()
})
