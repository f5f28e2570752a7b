import type { Factor } from '@supabase/auth-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { useToasterStore } from 'react-hot-toast/headless'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubNavigator } from '../../lib/test-navigator.ts'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { TwoStepSection } from './two-step-section.tsx'

type Answer = { status: number; body: unknown }

/** The sign-in server's answers, by method and path; the latest of several rules counts. */
let answers: Record<string, Answer>
let calls: string[]

beforeEach(() => {
  // jsdom knows the dialog element, but not how to open it.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  storeSession()
  calls = []
  answers = {}
  knows([])
  answer('POST /factors', 200, {
    id: 'f1',
    type: 'totp',
    totp: { qr_code: '<svg/>', secret: 'ABCDEFGHIJ', uri: 'otpauth://totp/x' },
  })
  answer('POST /factors/f1/challenge', 200, { id: 'c1', type: 'totp', expires_at: 1 })
  vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) => {
    const call = `${init?.method ?? 'GET'} ${new URL(url, location.origin).pathname.replace('/auth/v1', '')}`
    calls.push(call)
    const known = answers[call]
    return known ? jsonAnswer(known.status, known.body) : Promise.reject(new TypeError('Failed to fetch'))
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function answer(call: string, status: number, body: unknown): void {
  answers[call] = { status, body }
}

function refuse(call: string, status: number, code: string): void {
  answer(call, status, { code, error_code: code, message: 'Words of the server' })
}

function knows(factors: Partial<Factor>[]): void {
  answer('GET /user', 200, { id: 'u1', email: 'maria@example.com', factors })
}

const CONFIRMED: Partial<Factor> = {
  id: 'f1',
  factor_type: 'totp',
  status: 'verified',
  created_at: '2026-11-18T15:00:00.000Z',
}

function show(): void {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TwoStepSection />
    </QueryClientProvider>,
  )
}

const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))

/** Focus moves right after what is seen changes. */
const expectFocus = (element: Element) => waitFor(() => expect(document.activeElement).toBe(element))

async function setUp(): Promise<HTMLInputElement> {
  show()
  await press('Set up two-step verification')
  return screen.findByRole<HTMLInputElement>('textbox', { name: 'Code from the app' })
}

test('the set-up shows the picture as the client hands it on, and the secret in groups of four', async () => {
  await setUp()
  expect(screen.getByRole('img').getAttribute('src')).toBe('data:image/svg+xml;utf-8,<svg/>')
  screen.getByText('ABCD EFGH IJ')
})

test.each([
  [422, 'mfa_verification_failed', 'That code is not right. Type the one that your app shows now.'],
  [429, 'over_request_rate_limit', 'Too many requests. Please wait a moment and try again.'],
  [404, 'mfa_factor_not_found', 'This set-up is no longer there. Cancel and start again.'],
  [500, 'unexpected_failure', 'Something went wrong, please try again.'],
])('a code refused with %i %s is reported, and kept to be typed over', async (status, code, sentence) => {
  const field = await setUp()
  refuse('POST /factors/f1/verify', status, code)
  fireEvent.change(field, { target: { value: '123 456' } })
  await press('Confirm')
  await screen.findByText(sentence)
  expect(field.value).toBe('123456')
  await expectFocus(field)
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 6])
  expect(field.getAttribute('aria-invalid')).toBe('true')
})

test('an enrolment that was left goes before the next one; one of another client stays', async () => {
  const left: Partial<Factor> = { factor_type: 'totp', status: 'unverified', friendly_name: '' }
  knows([
    { ...left, id: 'left' },
    { ...left, id: 'other', friendly_name: 'Elsewhere' },
  ])
  answer('DELETE /factors/left', 200, { id: 'left' })
  show()
  await screen.findByText(/begun and not finished/)
  calls.length = 0
  await press('Set up two-step verification')
  await screen.findByRole('img')
  expect(calls).toEqual([
    'GET /v1/accounts/second-step',
    'GET /user',
    'DELETE /factors/left',
    'POST /factors',
  ])
})

test('a cancelled set-up is taken back, and the focus returns to where it began', async () => {
  await setUp()
  answer('DELETE /factors/f1', 200, { id: 'f1' })
  await press('Cancel')
  await waitFor(() => expect(calls).toContain('DELETE /factors/f1'))
  await expectFocus(screen.getByRole('button', { name: 'Set up two-step verification' }))
})

test('a set-up that cannot begin shows the failure', async () => {
  show()
  refuse('POST /factors', 500, 'unexpected_failure')
  await press('Set up two-step verification')
  await screen.findByText('Something went wrong, please try again.')
})

test('when the factors cannot be asked for, there is another try', async () => {
  refuse('GET /user', 500, 'unexpected_failure')
  show()
  await screen.findByText(/Something went wrong/)
  knows([CONFIRMED])
  await press('Try again')
  await screen.findByText('Authenticator app, since Nov 18, 2026')
})

test('a session without the second step gives a code before it may remove it', async () => {
  knows([CONFIRMED])
  refuse('DELETE /factors/f1', 422, 'insufficient_aal')
  show()
  await press('Remove')
  const dialog = screen.getByRole('dialog', { name: 'Remove two-step verification?' })
  const remove = () => {
    const [, button] = screen.getAllByRole('button', { name: 'Remove' })
    if (button) fireEvent.click(button)
  }
  expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([])
  remove()
  const field = await screen.findByRole('textbox', { name: /^Confirm with the code/ })
  await expectFocus(field)
  refuse('POST /factors/f1/verify', 422, 'mfa_verification_failed')
  fireEvent.change(field, { target: { value: '000000' } })
  remove()
  await screen.findByText(/That code is not right/)
  expect(calls.filter((call) => call.startsWith('DELETE'))).toHaveLength(1)

  const user = { id: 'u1', email: 'maria@example.com', factors: [CONFIRMED] }
  const session = { access_token: 'a.b.c', refresh_token: 'r', token_type: 'bearer', expires_in: 3600 }
  answer('POST /factors/f1/verify', 200, { ...session, user })
  answer('DELETE /factors/f1', 200, { id: 'f1' })
  answer('POST /token', 200, { ...session, user: { ...user, factors: [] } })
  knows([])
  remove()
  await screen.findByText(/^Off\./)
  expect(dialog.isConnected).toBe(false)
  await expectFocus(screen.getByRole('button', { name: 'Set up two-step verification' }))
})

test('a session that was ended elsewhere ends here too', async () => {
  await setUp()
  refuse('POST /factors/f1/challenge', 403, 'session_not_found')
  refuse('POST /logout', 403, 'session_not_found')
  await press('Confirm')
  await screen.findByText('Please sign in again.')
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
})

test.each([
  ['copied without its spaces', vi.fn(async () => {}), 'Secret copied.'],
  [
    'not copied where the browser keeps its clipboard',
    vi.fn(() => Promise.reject(new Error())),
    'Copying did',
  ],
])('the secret is %s, and the page shows that', async (_, writeText, shown) => {
  stubNavigator({ clipboard: { writeText } })
  await setUp()
  render(<Toasts />)
  await press('Copy secret')
  expect(writeText).toHaveBeenCalledWith('ABCDEFGHIJ')
  await screen.findByText(new RegExp(shown))
})

function Toasts() {
  return useToasterStore().toasts.map(({ id, message }) => <p key={id}>{String(message)}</p>)
}

test('where no more mails can be sent, the newest code can still be typed, and another mail asked for', async () => {
  answer('GET /v1/accounts/second-step', 200, { mailedCodeDue: true, recoveryCodesLeft: 0 })
  refuse('GET /reauthenticate', 429, 'over_email_send_rate_limit')
  show()
  await press('Set up two-step verification')
  await screen.findByText(/^No more mails can be sent just now. Type the newest code/)
  const field = screen.getByRole('textbox', { name: 'Code from your e-mail' })
  await expectFocus(field)
  answer('GET /reauthenticate', 200, {})
  await press('Send again')
  await screen.findByText(/^You signed in a while ago, so we sent a code/)
  refuse('PUT /user', 429, 'over_request_rate_limit')
  fireEvent.change(field, { target: { value: '123456' } })
  await press('Confirm')
  await screen.findByText('Too many requests. Please wait a moment and try again.')
  expect(calls.filter((call) => call === 'GET /reauthenticate')).toHaveLength(2)
  expect(calls).not.toContain('POST /factors')

  answer('PUT /user', 200, { id: 'u1', email: 'maria@example.com', factors: [] })
  await press('Confirm')
  await screen.findByRole('img')
})

test('a mailed code whose answer was lost goes on when it is pressed again', async () => {
  answer('GET /v1/accounts/second-step', 200, { mailedCodeDue: true, recoveryCodesLeft: 0 })
  answer('GET /reauthenticate', 200, {})
  show()
  await press('Set up two-step verification')
  const field = await screen.findByRole('textbox', { name: 'Code from your e-mail' })
  fireEvent.change(field, { target: { value: '123456' } })
  await press('Confirm')
  await screen.findByText('Something went wrong, please try again.')
  refuse('PUT /user', 422, 'reauthentication_not_valid')
  await press('Confirm')
  await screen.findByText('That code is not right, or it has expired. Type the newest one that we sent.')
  answer('GET /v1/accounts/second-step', 200, { mailedCodeDue: false, recoveryCodesLeft: 0 })
  await press('Confirm')
  await screen.findByRole('img')
})

test('a mail that cannot be asked for is reported', async () => {
  answer('GET /v1/accounts/second-step', 200, { mailedCodeDue: true, recoveryCodesLeft: 0 })
  refuse('GET /reauthenticate', 500, 'unexpected_failure')
  show()
  await press('Set up two-step verification')
  await screen.findByText('Something went wrong, please try again.')
})
