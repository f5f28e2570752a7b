import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { expect, type Person, test } from './fixtures.ts'
import type { Product } from './product.ts'
import { beforeExpiry, returnTo, storedToken } from './visiting-steps.ts'

const TOKEN = '**/auth/v1/token?*'
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const OPERATOR = fileURLToPath(new URL('../server/src/operator.ts', import.meta.url))

const leaderboard = (page: Page) => page.getByRole('heading', { name: 'Leaderboard' })
const logout = (page: Page) => page.getByRole('link', { name: 'Logout' })

/** How often the tokens of a person's only session were renewed. */
async function renewals(product: Product, person: Person): Promise<number> {
  const { refresh_counter } = await product.database.db
    .selectFrom('sessions')
    .select('refresh_counter')
    .where('user_id', '=', person.id)
    .executeTakeFirstOrThrow()
  return refresh_counter
}

/** A screen whose list is asked for now, by a call that carries the newest token. */
async function expectCallsToWork(page: Page): Promise<void> {
  const answered = page.waitForResponse('**/v1/leaderboard')
  await page.reload()
  expect((await answered).status()).toBe(200)
  await expect(leaderboard(page)).toBeVisible()
}

test('two tabs that renew the same token at once get one renewal, and neither is signed out', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/leaderboard')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect(leaderboard(page)).toBeVisible()
  await expect(leaderboard(other)).toBeVisible()
  const before = await renewals(product, person)
  const sent: string[] = []
  let release = () => {}
  const both = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.context().route(TOKEN, async (route) => {
    sent.push(route.request().postDataJSON().refresh_token)
    if (sent.length === 2) release()
    await both
    await route.continue()
  })
  await setTime(beforeExpiry(person, 60))
  const answers = [page, other].map((tab) => tab.waitForResponse(TOKEN))
  await Promise.all([returnTo(page), returnTo(other)])
  for (const answer of await Promise.all(answers)) expect(answer.status()).toBe(200)
  expect(sent).toEqual([person.session.refresh_token, person.session.refresh_token])
  expect(await renewals(product, person)).toBe(before + 1)
  await page.context().unrouteAll()
  for (const tab of [page, other]) {
    await expectCallsToWork(tab)
    await expect(logout(tab)).toBeVisible()
  }
  expect(await storedToken(page)).not.toBe(person.session.access_token)
})

test('a page that slept past the end of its token works again without help, after one hour and after eight', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/leaderboard')
  await expect(leaderboard(page)).toBeVisible()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/(v1|auth)\//.test(pathname)) asked.push(pathname)
  })
  for (const hours of [1, 8]) {
    const token = await storedToken(page)
    await setTime(new Date(product.now().getTime() + hours * HOUR_MS + MINUTE_MS))
    asked.length = 0
    // A press comes first, before the client's timer has looked at the time.
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('nobody')
    await page.keyboard.press('Enter')
    await expect(page.getByText("That user doesn't seem to exist...")).toBeVisible()
    expect(asked).toContain('/v1/accounts/search')
    expect(asked.indexOf('/auth/v1/token')).toBe(0)
    expect(asked.lastIndexOf('/auth/v1/token')).toBe(0)
    expect(await storedToken(page)).not.toBe(token)
    // The search screen offers its best ones, so the leaderboard may be known already.
    await page.getByRole('link', { name: 'Leaderboard' }).click()
    await expect(leaderboard(page)).toBeVisible()
  }

  // Without a press: the tab comes to the front, and its token is new.
  const token = await storedToken(page)
  await setTime(new Date(product.now().getTime() + 8 * HOUR_MS))
  await returnTo(page)
  await expect.poll(() => storedToken(page)).not.toBe(token)
  await expect(logout(page)).toBeVisible()
})

test('while the sign-in server is away for minutes, past the end of the token, nobody is signed out, and everything recovers without help', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/leaderboard')
  await expect(leaderboard(page)).toBeVisible()
  await page.context().route('**/auth/v1/**', (route) => route.abort())
  await setTime(beforeExpiry(person, 80))
  const tried = page.waitForRequest(TOKEN)
  await returnTo(page)
  await tried
  // So long that the client has given up once, and the token has run out.
  await setTime(beforeExpiry(person, -30))
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('nobody')
  await page.keyboard.press('Enter')
  await expect(logout(page)).toBeVisible()
  expect(await storedToken(page)).toBe(person.session.access_token)

  // Even a page that is opened now keeps its place: blank while it tries, then it shows the failure.
  await page.goto(`${product.url}/leaderboard`)
  const again = page.getByRole('button', { name: 'Try again' })
  await expect
    .poll(async () => {
      await page.clock.runFor(5000)
      return again.isVisible()
    })
    .toBe(true)
  await expect(page).toHaveURL(`${product.url}/leaderboard`)
  expect(await storedToken(page)).toBe(person.session.access_token)

  await page.context().unrouteAll()
  await expect
    .poll(async () => {
      await page.clock.runFor(30_000)
      return leaderboard(page).isVisible()
    })
    .toBe(true)
  await expect(page).toHaveURL(`${product.url}/leaderboard`)
  await expect(logout(page)).toBeVisible()
  expect(await storedToken(page)).not.toBe(person.session.access_token)
})

test('the operator changes the signing key while people are signed in, and they notice nothing', async ({
  people,
  openAs,
  call,
  product,
  setTime,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/leaderboard')
  await expect(leaderboard(page)).toBeVisible()
  const keyOf = (token = '') => JSON.parse(atob(token.split('.')[0] ?? '')).kid as string
  const first = keyOf(await storedToken(page))

  const run = promisify(execFile)
  const result = await run(process.execPath, [OPERATOR, 'keys:rotate'], { env: product.environment })
  expect(result.stdout).toMatch(/^Published a new key; it signs from /)
  // Published before it signs, so that nobody meets a key they cannot know.
  await setTime(new Date(product.now().getTime() + 21 * MINUTE_MS))
  const newcomer = await people.join()
  const second = keyOf(newcomer.session.access_token)
  expect(second).not.toBe(first)
  const published = await (await fetch(`${product.url}/auth/v1/.well-known/jwks.json`)).json()
  expect(published.keys.map(({ kid }: { kid: string }) => kid)).toEqual(
    expect.arrayContaining([first, second]),
  )

  // The token of the old key is good to its end; its renewal is signed with the new one.
  await expectCallsToWork(page)
  expect(keyOf(await storedToken(page))).toBe(first)
  await setTime(beforeExpiry(person, 60))
  await expectCallsToWork(page)
  expect(keyOf(await storedToken(page))).toBe(second)
  expect((await call(newcomer, 'GET', '/v1/leaderboard')).status).toBe(200)
})
