import type { Locator, Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import type { Person } from './fixtures.ts'

/** Serves no document of the app: a place of the same origin to prepare a page at. */
export const NEUTRAL = '/healthz'

/** The page that only visitors see. */
export function landing(page: Page): Locator {
  return page.getByRole('heading', { name: 'Follow traders by what they really achieved' })
}

/** All that this browser keeps of the product. */
export function stored(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => ({ ...localStorage }))
}

/** The access token of the stored session. */
export async function storedToken(page: Page): Promise<string | undefined> {
  return JSON.parse((await stored(page))[AUTH_STORAGE_KEY] ?? '{}').access_token
}

/** So many seconds before the token that a person got at sign-in runs out. */
export function beforeExpiry(person: Person, seconds: number): Date {
  return new Date(((person.session.expires_at ?? 0) - seconds) * 1000)
}

/** Sends a page the event that its tab has come to the front again, as browsers do; the sign-in client looks at the time then. */
export async function returnTo(page: Page): Promise<void> {
  await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
}

/** No live feed reaches the page: it is not notified of changes elsewhere, the end of its session among them. */
export async function keepFeedAway(page: Page): Promise<void> {
  await page.route('**/v1/feed', (route) => route.abort())
}
