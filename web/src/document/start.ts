import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { homeRoute, loginRoute } from '@tradepost/contract/web-routes'
import { readSentCode } from '../features/session/sent-code.ts'

/** Parameters that an authentication redirect or a mailed link leaves in the URL (docs/specification.md section 5). */
const CALLBACK_PARAMETERS = ['token_hash', 'error', 'error_description', 'code', 'access_token']

const LOGIN = loginRoute.path

/** Whether the document of a path holds its page. */
function holdsPage({ pathname }: { pathname: string }): boolean {
  return pathname === homeRoute.path || pathname === LOGIN
}

/**
 * Whether the page that a document came with may show at once: no stored session and no callback in the URL leave nothing to
 * check (rule G-81).
 */
export function nothingToCheck(url: URL, storage: Pick<Storage, 'getItem'>): boolean {
  const fragment = new URLSearchParams(url.hash.slice(1))
  const isCallback = CALLBACK_PARAMETERS.some((name) => url.searchParams.has(name) || fragment.has(name))
  return holdsPage(url) && !isCallback && storage.getItem(AUTH_STORAGE_KEY) === null
}

/**
 * Starts the app of a document that holds a prerendered page: at once, with the page hidden, when there is something to
 * check or a code to be entered; on /login when its form has been painted; on / when somebody is about to need it. Such a
 * document names the app's entry in <meta name="app">, what the login page needs in <meta name="app-login">, and the
 * signed-in home page in <meta name="app-home">; the others load the app themselves and this does nothing.
 */
export function startDocument(page: Document): void {
  const entry = metaOf(page, 'app')
  if (entry === '') return
  const onLogin = location.pathname === LOGIN
  const fetchLogin = () => preload(page, metaOf(page, 'app-login').split(' '))
  const start = () => {
    // The screen comes along with the app, not after it.
    if (onLogin) fetchLogin()
    else preload(page, metaOf(page, 'app-home').split(' '))
    whenRead(page, () => void import(/* @vite-ignore */ entry))
  }
  if (!mayShowAtOnce()) {
    page.documentElement.classList.add('booting')
    start()
    return
  }
  if (onLogin) {
    requestAnimationFrame(() => requestAnimationFrame(start))
    return
  }
  for (const intent of ['pointerover', 'focusin', 'touchstart', 'click']) {
    page.addEventListener(intent, (event) => {
      if (event.target instanceof Element && event.target.closest(`a[href="${LOGIN}"]`)) fetchLogin()
    })
  }
  // Signed in in another tab, or back from the app through the browser's page cache: now there is something to check.
  const lookAgain = () => {
    if (!mayShowAtOnce()) location.reload()
  }
  addEventListener('storage', lookAgain)
  addEventListener('pageshow', lookAgain)
}

/** Waits for the body, which the app draws into: a script from the browser's cache may run before it is parsed. */
function whenRead(page: Document, act: () => void): void {
  if (page.readyState === 'loading') page.addEventListener('DOMContentLoaded', act, { once: true })
  else act()
}

function mayShowAtOnce(): boolean {
  try {
    // The form that the document of /login holds is the first step; a tab that waits for its code is past it.
    if (location.pathname === LOGIN && readSentCode(Date.now()) !== null) return false
    return nothingToCheck(new URL(location.href), localStorage)
  } catch {
    // Storage is forbidden: no session can be stored.
    return holdsPage(location)
  }
}

function metaOf(page: Document, name: string): string {
  return page.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}

function preload(page: Document, urls: string[]): void {
  for (const url of urls) {
    if (url === '' || page.querySelector(`link[href="${url}"]`)) continue
    const link = page.createElement('link')
    link.rel = 'modulepreload'
    link.href = url
    page.head.append(link)
  }
}
