import { wrongAuthenticatorCode } from '../server/test/sign-in/authenticator.ts'
import { giveAuthenticator, nextCode, secondStep } from './authenticator-steps.ts'
import { codeIn, expect, type Person, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { askForCode, CONTINUE, FAILURE, linkIn, positions, recordEvents } from './sign-in-steps.ts'
import { landing, NEUTRAL, stored } from './visiting-steps.ts'

test('after the code the app asks for the second one, and until then it counts as signed out', async ({
  people,
  openAs,
  product,
  setTime,
  mailbox,
}) => {
  const person = await people.join()
  const { secret } = await giveAuthenticator(product, person)
  const page = await openAs(null, NEUTRAL)
  const listener = await page.context().newPage()
  await listener.goto(page.url())
  const events = await recordEvents(listener)
  const called: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/')) called.push(pathname)
  })
  await page.goto(`${product.url}/login`)
  await askForCode(page, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(3)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(person.email)))
  await page.keyboard.press('Enter')
  await expect(secondStep(page)).toBeFocused()
  await expect(page.getByText(person.email)).toBeVisible()

  await page.goto(`${product.url}/account`)
  await expect(secondStep(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/login`)
  await page.goto(`${product.url}/`)
  await expect(landing(page)).toBeVisible()
  await page.getByRole('link', { name: 'Login' }).click()
  await page.reload()
  await secondStep(page).fill(wrongAuthenticatorCode(secret, product.now()))
  await page.getByRole('button', CONTINUE).click()
  await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
  await expect(secondStep(page)).toBeFocused()
  expect(called).toEqual([])

  await secondStep(page).fill(await nextCode(product, setTime, secret))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect.poll(() => events.filter((event) => event !== 'SIGNED_IN')).toEqual(['MFA_CHALLENGE_VERIFIED'])
  expect(events[0]).toBe('SIGNED_IN')
  await page.reload()
  await expect(positions(page)).toBeVisible()
})

test('after the link too the second code is due, and a different e-mail ends this session and no other', {
  tag: ['@phone'],
}, async ({ people, openAs, product, mailbox, setTime }) => {
  const person = await people.join()
  const { secret, session } = await giveAuthenticator(product, person)
  await askForCode(await openAs(null, '/login'), person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(3)
  const link = linkIn(await mailbox.latest(person.email))
  const page = await openAs(null, link.slice(product.url.length))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(secondStep(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/login`)
  const ended = page.waitForResponse('**/auth/v1/logout?scope=local')
  await page.getByRole('button', { name: 'Use a different e-mail' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeFocused()
  expect(await stored(page)).toEqual({})
  expect((await ended).status()).toBe(204)

  const own = await openAs({ ...person, session }, '/')
  await expect(positions(own)).toBeVisible()

  // Signs in again: two tabs wait, and one gets the code.
  await askForCode(page, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(4)
  const tab = await page.context().newPage()
  await tab.goto(linkIn(await mailbox.latest(person.email)))
  await expect(secondStep(tab)).toBeVisible()
  await expect(secondStep(page)).toBeVisible()
  await secondStep(page).fill(await nextCode(product, setTime, secret))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
  await expect(positions(tab)).toBeVisible()
})

test('a session that the product API refuses for its second step ends once, and asks nobody again', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  await giveAuthenticator(product, person)
  const session = await signInByCode(product, person.email)
  // A browser that was not notified of the second step.
  const unaware: Person = { ...person, session: { ...session, user: { ...session.user, factors: [] } } }
  const page = await openAs(unaware, NEUTRAL)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/')) asked.push(pathname)
  })
  const refused = page.waitForResponse('**/v1/**')
  await page.goto(`${product.url}/`)
  expect((await (await refused).json()).code).toBe('second_factor_required')
  await expect(landing(page)).toBeVisible()
  expect(await stored(page)).toEqual({})
  expect(asked).toHaveLength(new Set(asked).size)
  asked.length = 0
  await page.reload()
  await expect(landing(page)).toBeVisible()
  expect(asked).toEqual([])
})
