import { onlineManager } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { KEPT_ATTRIBUTE } from '@tradepost/contract/offline-start'
import { AUTH_STORAGE_KEY, SEEN_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { useToaster } from 'react-hot-toast/headless'
import { afterEach, expect, test, vi } from 'vitest'
import { authClient } from '../../lib/auth-client.ts'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { toast } from '../../ui/toast.ts'
import { keepSentCode, readSentCode } from './sent-code.ts'
import { SessionProvider, useSession } from './session-provider.tsx'

const seeNothing = async () => {}

afterEach(() => {
  cleanup()
  localStorage.clear()
  sessionStorage.clear()
  toast.remove()
  history.replaceState(null, '', '/')
  document.documentElement.removeAttribute(KEPT_ATTRIBUTE)
  onlineManager.setOnline(true)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Features stand below the app's own toaster. */
function Toasts() {
  return useToaster().toasts.map(({ id, message }) => <p key={id}>{String(message)}</p>)
}

function Status() {
  return <p>{useSession().status}</p>
}

test('a session that nobody could check is kept, and the page shows that until somebody can', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const answer = vi.fn<typeof fetch>(async () => jsonAnswer(503, { message: 'm' }))
  vi.stubGlobal('fetch', answer)
  storeSession({ secondsLeft: -10 })
  render(
    <SessionProvider restoreSeen={seeNothing}>
      <Status />
    </SessionProvider>,
  )
  await act(() => vi.advanceTimersByTimeAsync(1000))
  expect(document.body.textContent).toBe('')
  await act(() => vi.advanceTimersByTimeAsync(40_000))
  screen.getByText('Something went wrong, please try again.')
  screen.getByRole('button', { name: 'Try again' })
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()

  const user = { id: 'u1', email: 'maria@example.com', factors: [] }
  const session = { access_token: 'a.b.c', refresh_token: 'r', token_type: 'bearer', expires_in: 3600 }
  answer.mockImplementation(async () => jsonAnswer(200, { ...session, user }))
  // The library gives a token that could not be renewed a rest of a minute.
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  await act(async () => void (await authClient.getSession()))
  screen.getByText('signed_in')
})

test('without a network a signed-in person is so at once and stays so, with what they saw last, and only the server is looked for', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const asked = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('Failed to fetch')))
  vi.stubGlobal('fetch', asked)
  storeSession({ secondsLeft: -10 })
  document.documentElement.setAttribute(KEPT_ATTRIBUTE, '')
  onlineManager.setOnline(false)
  const seen = vi.fn(seeNothing)
  render(
    <SessionProvider restoreSeen={seen}>
      <Status />
    </SessionProvider>,
  )
  await act(() => vi.advanceTimersByTimeAsync(0))
  screen.getByText('signed_in')
  expect(seen).toHaveBeenCalledTimes(1)
  // The library gives up after half a minute.
  await act(() => vi.advanceTimersByTimeAsync(40_000))
  screen.getByText('signed_in')
  expect(new Set(asked.mock.calls.map(([url]) => url))).toEqual(new Set(['/healthz']))
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()
})

test('without a network a signed-in person is so also where what they saw last cannot be shown', async () => {
  storeSession()
  document.documentElement.setAttribute(KEPT_ATTRIBUTE, '')
  onlineManager.setOnline(false)
  const authIsAsked = vi.spyOn(authClient, 'onAuthStateChange')
  const failing = () => Promise.reject(new Error('unreadable'))
  render(
    <SessionProvider restoreSeen={failing}>
      <Status />
    </SessionProvider>,
  )
  await screen.findByText('signed_in')
  expect(authIsAsked).toHaveBeenCalledTimes(1)
  authIsAsked.mockRestore()
})

test('without a network and a session nothing is checked, and nothing seen is shown', async () => {
  document.documentElement.setAttribute(KEPT_ATTRIBUTE, '')
  render(
    <SessionProvider restoreSeen={seeNothing}>
      <Status />
    </SessionProvider>,
  )
  await screen.findByText('signed_out')
})

test('an end that another tab reports late takes nothing from the person who has signed in meanwhile', async () => {
  storeSession()
  render(
    <SessionProvider restoreSeen={seeNothing}>
      <Status />
    </SessionProvider>,
  )
  await screen.findByText('signed_in')
  localStorage.setItem(SEEN_STORAGE_KEY, 'theirs')
  const other = new BroadcastChannel(AUTH_STORAGE_KEY)
  const report = (event: string) => other.postMessage({ event, session: null })
  report('SIGNED_OUT')
  await screen.findByText('signed_out')
  expect(localStorage.getItem(SEEN_STORAGE_KEY)).toBe('theirs')
  localStorage.removeItem(AUTH_STORAGE_KEY)
  report('SIGNED_OUT')
  await vi.waitFor(() => expect(localStorage.getItem(SEEN_STORAGE_KEY)).toBeNull())
  other.close()
})

test('a person who is signed in no longer waits for a code', async () => {
  keepSentCode({ email: 'maria@example.com', at: Date.now(), mailed: true })
  storeSession()
  render(
    <SessionProvider restoreSeen={seeNothing}>
      <Status />
    </SessionProvider>,
  )
  await screen.findByText('signed_in')
  expect(readSentCode(Date.now())).toBeNull()
})

test.each([
  ['/login#token_hash=abc&type=email', true],
  ['/login?error=access_denied&error_description=Link+expired', true],
  ['/login', false],
  ['/login#type=email', false],
  ['/account#token_hash=abc', false],
])('somebody signed in reads so at a link, and only there: %s shows it: %s', async (path, isNotified) => {
  history.replaceState(null, '', path)
  storeSession()
  render(
    <SessionProvider restoreSeen={seeNothing}>
      <Status />
      <Toasts />
    </SessionProvider>,
  )
  await screen.findByText('signed_in')
  const notice = screen.queryByText('You are signed in as maria@example.com. Sign out to use another link.')
  expect(notice !== null).toBe(isNotified)
})
