import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BrowserRouter } from '../../lib/router.tsx'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { LoginForm } from './login-form.tsx'
import { SessionProvider } from './session-provider.tsx'

/** The sign-in server's answers, by the end of the path. */
let answers: Record<string, () => Response>
let calls: string[]

const seeNothing = async () => {}

beforeEach(() => {
  calls = []
  answers = { '/challenge': () => jsonAnswer(200, { id: 'c', type: 'totp', expires_at: 1 }) }
  vi.stubGlobal('fetch', async (url: string | URL) => {
    const { pathname } = new URL(url)
    calls.push(pathname.replace('/auth/v1', ''))
    const known = Object.keys(answers).find((end) => pathname.endsWith(end))
    return known ? answers[known]?.() : Promise.reject(new TypeError('Failed to fetch'))
  })
  history.replaceState(null, '', '/login')
})
afterEach(() => {
  cleanup()
  localStorage.clear()
  vi.unstubAllGlobals()
})

function refuse(end: string, status: number, code: string): void {
  answers[end] = () => jsonAnswer(status, { code, error_code: code, message: 'Words of the server' })
}

/** A page with a session that lacks its second step. */
async function openWithFactors(...ids: string[]): Promise<HTMLInputElement> {
  storeSession({ factors: ids.map((id) => ({ id, status: 'verified' })) })
  render(
    <SessionProvider restoreSeen={seeNothing}>
      <BrowserRouter>
        <LoginForm mailboxUrl={null} />
      </BrowserRouter>
    </SessionProvider>,
  )
  return screen.findByLabelText<HTMLInputElement>('Authenticator code')
}

function submit(field: HTMLInputElement, code: string): void {
  fireEvent.change(field, { target: { value: code } })
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
}

/** Focus moves right after what is seen changes. */
const expectFocus = (element: Element) => waitFor(() => expect(document.activeElement).toBe(element))
const stored = () => localStorage.getItem(AUTH_STORAGE_KEY)

test.each([
  [422, 'mfa_verification_failed', "It looks like that didn't work."],
  [500, 'unexpected_failure', "It looks like that didn't work."],
  [
    429,
    'over_request_rate_limit',
    "It looks like that didn't work. Too many requests. Please wait a moment and try again.",
  ],
])(
  'a code refused with %i %s shows the one sentence and can be typed over',
  async (status, code, sentence) => {
    const field = await openWithFactors('f1')
    await expectFocus(field)
    screen.getByText('maria@example.com')
    refuse('/f1/verify', status, code)
    submit(field, '123456')
    await screen.findByText(sentence)
    await expectFocus(field)
    expect([field.value, field.selectionStart, field.selectionEnd]).toEqual(['123456', 0, 6])
    expect(stored()).not.toBeNull()
  },
)

test('somebody with two apps may use either', async () => {
  const field = await openWithFactors('f1', 'f2')
  refuse('/f1/verify', 422, 'mfa_verification_failed')
  refuse('/f2/verify', 422, 'mfa_verification_failed')
  submit(field, '123456')
  await screen.findByText("It looks like that didn't work.")
  expect(calls.filter((path) => path.endsWith('/verify'))).toEqual([
    '/factors/f1/verify',
    '/factors/f2/verify',
  ])
})

test('a sign-in that was ended elsewhere starts again, and shows why', async () => {
  const field = await openWithFactors('f1')
  refuse('/challenge', 403, 'session_not_found')
  refuse('/logout', 403, 'session_not_found')
  submit(field, '123456')
  await screen.findByText('This sign-in was ended elsewhere. Enter your e-mail to start again.')
  await expectFocus(screen.getByLabelText('E-mail'))
  expect(stored()).toBeNull()
})

test('where the second step was removed meanwhile, none is asked for', async () => {
  const field = await openWithFactors('f1')
  refuse('/challenge', 404, 'mfa_factor_not_found')
  const user = { id: 'u1', email: 'maria@example.com', factors: [] }
  const session = { access_token: 'a.b.c', refresh_token: 'r', token_type: 'bearer', expires_in: 3600 }
  answers['/token'] = () => jsonAnswer(200, { ...session, user })
  submit(field, '123456')
  await waitFor(() => expect(screen.queryByLabelText('Authenticator code')).toBeNull())
  expect(stored()).toContain('"a.b.c"')
})

test('another e-mail ends this session, and no other', async () => {
  const asked: string[] = []
  answers['/logout'] = () => new Response(null, { status: 204 })
  const fetched = globalThis.fetch
  vi.stubGlobal('fetch', (url: string | URL, init?: RequestInit) => {
    asked.push(new URL(url).search)
    return fetched(url, init)
  })
  await openWithFactors('f1')
  fireEvent.click(screen.getByRole('button', { name: 'Use a different e-mail' }))
  const field = await screen.findByLabelText('E-mail')
  await expectFocus(field)
  expect(stored()).toBeNull()
  await waitFor(() => expect(asked).toEqual(['?scope=local']))
})
