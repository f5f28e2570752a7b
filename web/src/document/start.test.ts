import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, expect, test, vi } from 'vitest'
import { keepSentCode } from '../features/session/sent-code.ts'
import { nothingToCheck, startDocument } from './start.ts'

afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  document.documentElement.classList.remove('booting')
  history.replaceState(null, '', '/')
  document.head.replaceChildren()
  document.body.replaceChildren()
})

const check = (path: string) => nothingToCheck(new URL(path, 'https://example.com'), localStorage)

test('a visitor without a session sees the landing page at once', () => {
  expect(check('/')).toBe(true)
  expect(check('/?utm_source=x')).toBe(true)
})

test('a stored session has to be checked first', () => {
  localStorage.setItem(AUTH_STORAGE_KEY, '{}')
  expect(check('/')).toBe(false)
})

test.each(['token_hash', 'error', 'error_description', 'code', 'access_token'])(
  '%s in query or fragment has to be checked first',
  (name) => {
    expect(check(`/?${name}=x`)).toBe(false)
    expect(check(`/#${name}=x`)).toBe(false)
  },
)

test('a visitor without a session sees the first step of signing in at once', () => {
  expect(check('/login')).toBe(true)
  expect(check('/login#token_hash=x&type=email')).toBe(false)
})

test('a tab that waits for its code never shows the first step, one whose code is dead does', () => {
  document.head.innerHTML = '<meta name="app" content="data:text/javascript,">'
  const { classList } = document.documentElement
  const lifeMs = 600_000
  for (const [path, age, isHidden] of [
    ['/login', lifeMs, false],
    ['/login', lifeMs - 5000, true],
    ['/', 0, false],
  ] as const) {
    classList.remove('booting')
    history.replaceState(null, '', path)
    keepSentCode({ email: 'maria@example.com', at: Date.now() - age, mailed: true })
    startDocument(document)
    expect([path, age, classList.contains('booting')]).toEqual([path, age, isHidden])
  }
})

test('other paths belong to the app', () => {
  expect(check('/account')).toBe(false)
})

test('the app is fetched once, when somebody is about to log in', () => {
  document.head.innerHTML =
    '<meta name="app" content="/assets/index.js"><meta name="app-login" content="/assets/index.js /assets/login.js">'
  document.body.innerHTML = '<a href="/login"><span id="inside">Login</span></a><a href="/x" id="other">x</a>'
  startDocument(document)
  const links = () => [...document.head.querySelectorAll('link')].map((link) => link.getAttribute('href'))
  document.querySelector('#other')?.dispatchEvent(new Event('pointerover', { bubbles: true }))
  expect(links()).toEqual([])
  for (const intent of ['pointerover', 'focusin', 'touchstart', 'click']) {
    document.querySelector('#inside')?.dispatchEvent(new Event(intent, { bubbles: true, cancelable: true }))
  }
  expect(links()).toEqual(['/assets/index.js', '/assets/login.js'])
})

test('the app waits for the body, however early its code is there', async () => {
  const reading = vi.spyOn(document, 'readyState', 'get').mockReturnValue('loading')
  const ran = () => 'appRan' in globalThis
  // With a session to check, the app starts at once.
  localStorage.setItem(AUTH_STORAGE_KEY, '{}')
  document.head.innerHTML = '<meta name="app" content="data:text/javascript,globalThis.appRan=true">'
  startDocument(document)
  // This import begins later: once it is there, the earlier ones are too.
  const another = 'data:text/javascript,export default 1'
  await import(/* @vite-ignore */ another)
  expect(ran()).toBe(false)
  reading.mockReturnValue('interactive')
  document.dispatchEvent(new Event('DOMContentLoaded'))
  await expect.poll(ran).toBe(true)
  reading.mockRestore()
})
