import { expect, type Locator, type Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import type { Mail } from './fixtures.ts'

export const CONTINUE = { name: 'Continue' }
/** Login send or verify failure (docs/specification.md section 8). */
export const FAILURE = "It looks like that didn't work."
export const DEAD_LINK = 'This link has expired or was already used. Enter your e-mail to get a new one.'

let serial = 0

/** An address that nobody has used yet. */
export function newAddress(): string {
  serial += 1
  return `newcomer-${process.pid}-${serial}-${Date.now()}@people.example`
}

/** The link of a sign-in mail, to a page of the app. */
export function linkIn(mail: Mail): string {
  return /https?:\/\/\S+\/login#\S+/.exec(mail.text)?.[0] ?? ''
}

/** The secret of that link. */
export function tokenHashIn(mail: Mail): string {
  return new URLSearchParams(new URL(linkIn(mail)).hash.slice(1)).get('token_hash') ?? ''
}

/** An element that only signed-in people see at /. */
export function positions(page: Page): Locator {
  return page.getByRole('heading', { name: 'Positions' })
}

/** The e-mail step, up to the code step. */
export async function askForCode(page: Page, email: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('button', CONTINUE).click()
  await expect(page.getByRole('textbox', { name: 'Code' })).toBeVisible()
}

/**
 * Records in this page the events that the sign-in client of the context's other pages sends (it sends them to other tabs, never its own).
 * @returns the events, in order, as they come
 */
export async function recordEvents(page: Page): Promise<string[]> {
  const events: string[] = []
  await page.exposeFunction('noteEvent', (event: string) => events.push(event))
  await page.evaluate((key) => {
    new BroadcastChannel(key).onmessage = ({ data }) => Reflect.get(window, 'noteEvent')(data.event)
  }, AUTH_STORAGE_KEY)
  return events
}
