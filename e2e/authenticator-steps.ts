import type { Page } from '@playwright/test'
import { AuthClient, type Session } from '@supabase/auth-js'
import { authenticatorCode } from '../server/test/sign-in/authenticator.ts'
import { expect, type Person } from './fixtures.ts'
import type { Product } from './product.ts'
import { codeIn, type Mail, mailsTo } from './sign-in-by-code.ts'

const STEP_MS = 30_000

/**
 * The authenticator app on a person's phone. Codes count once, so each is of a later half minute than the last: the
 * clock moves on.
 */
export async function nextCode(
  product: Product,
  setTime: (instant: Date) => Promise<void>,
  secret: string,
): Promise<string> {
  await setTime(new Date(product.now().getTime() + STEP_MS))
  return authenticatorCode(secret, product.now())
}

/**
 * Sets up two-step verification for a person, as they would themselves, and waits until they were mailed about it.
 * @returns the secret of the app, and the session, confirmed with it; the person's own is renewed by that
 */
export async function giveAuthenticator(
  product: Product,
  person: Person,
): Promise<{ secret: string; session: Session; factorId: string }> {
  const client = new AuthClient({
    url: `${product.url}/auth/v1`,
    autoRefreshToken: false,
    persistSession: false,
  })
  const { error } = await client.setSession(person.session)
  if (error) throw error
  const enrolled = await client.mfa.enroll({ factorType: 'totp' })
  if (enrolled.error) throw enrolled.error
  const { id, totp } = enrolled.data
  const code = authenticatorCode(totp.secret, product.now())
  const confirmed = await client.mfa.challengeAndVerify({ factorId: id, code })
  if (confirmed.error) throw confirmed.error
  // The mail about it comes first: tests count mails, and read the latest.
  await expect
    .poll(async () => (await mailsTo(product, person.email))[0]?.subject)
    .toBe('Two-step verification was turned on')
  const { data } = await client.getSession()
  if (!data.session) throw new Error('no session')
  return { secret: totp.secret, session: data.session, factorId: id }
}

/** Where the mailed code is typed that a change of the second step takes. */
export const mailedCode = (page: Page) => page.getByRole('textbox', { name: 'Code from your e-mail' })

/** Mails that bring a code for a change of the account, newest first. */
export async function codeMails(product: Product, person: Person): Promise<Mail[]> {
  const mails = await mailsTo(product, person.email)
  return mails.filter(({ subject }) => /^\d{6} confirms that it is you/.test(subject))
}

/** The code of the newest of them, once there is one. */
export async function readMailedCode(product: Product, person: Person): Promise<string> {
  let found: Mail | undefined
  await expect
    .poll(async () => {
      found = (await codeMails(product, person))[0]
      return found !== undefined
    })
    .toBe(true)
  return found ? codeIn(found) : ''
}

/** Gives the mailed code that the page asks for. */
export async function proveMailbox(product: Product, page: Page, person: Person): Promise<void> {
  await expect(mailedCode(page)).toBeFocused()
  await mailedCode(page).fill(await readMailedCode(product, person))
  await page.getByRole('button', { name: 'Confirm' }).click()
}

export const SET_UP = { name: 'Set up two-step verification' }

/** The field of the set-up on the account page. */
export const codeField = (page: Page) => page.getByRole('textbox', { name: 'Code from the app' })
/** The field of the second step of signing in. */
export const secondStep = (page: Page) => page.getByRole('textbox', { name: 'Authenticator code' })
export const isOn = (page: Page) =>
  page.getByText('On. Signing in also takes a code from your authenticator app.')

/** Begins the set-up on the account page. @returns the secret that the server sent */
export async function beginSetUp(page: Page): Promise<{ secret: string; uri: string }> {
  const enrolled = page.waitForResponse((answer) => answer.url().endsWith('/auth/v1/factors'))
  await page.getByRole('button', SET_UP).click()
  const { totp } = await (await enrolled).json()
  await expect(codeField(page)).toBeVisible()
  return totp
}
