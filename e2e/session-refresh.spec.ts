import type { Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { callsAnswered, codeIn, expect, type Mail, test } from './fixtures.ts'
import { askForCode, CONTINUE, newAddress, positions } from './sign-in-steps.ts'
import { beforeExpiry, keepFeedAway, landing, NEUTRAL, stored, storedToken } from './visiting-steps.ts'

const TOKEN = '**/auth/v1/token?*'
const TICK_MS = 30_000
const MINUTE_MS = 60_000

/** Signs somebody new in by code. */
async function comeIn(page: Page, mailbox: { latest(to: string): Promise<Mail> }): Promise<void> {
  const email = newAddress()
  await page.goto(new URL('/login', page.url()).href)
  await askForCode(page, email)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(email)))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
}

test('a session is refreshed near its end, by ticks of 30 s, and its events come in order', {
  tag: ['@AUTH-04', '@AUTH-16'],
}, async ({ openAs, mailbox, setTime }) => {
  const page = await openAs(null, NEUTRAL)
  const events: string[] = []
  const refreshes: string[] = []
  page.on('request', (request) => request.url().includes('/auth/v1/token?') && refreshes.push(request.url()))
  await page.exposeFunction('noteEvent', (event: string) => events.push(event))
  // The events that the library sends to other tabs, received in this one.
  await page.addInitScript((key) => {
    new BroadcastChannel(key).onmessage = ({ data }) => Reflect.get(window, 'noteEvent')(data.event)
  }, AUTH_STORAGE_KEY)
  await comeIn(page, mailbox)
  await expect.poll(() => events).toEqual(['SIGNED_IN'])

  const { expires_at } = JSON.parse((await stored(page))[AUTH_STORAGE_KEY] ?? '{}')
  const token = await storedToken(page)
  // The client renews a token within three ticks of 30 s before its end, and no earlier.
  await setTime(new Date((expires_at - 160) * 1000))
  await page.clock.runFor(TICK_MS)
  // A request of the tick would be on its way before this one.
  await page.evaluate(async () => void (await fetch('/healthz')))
  expect(refreshes).toEqual([])
  await setTime(new Date((expires_at - 115) * 1000))
  await page.clock.runFor(TICK_MS)
  await expect.poll(() => storedToken(page)).not.toBe(token)
  await expect.poll(() => events).toEqual(['SIGNED_IN', 'TOKEN_REFRESHED'])
  expect(refreshes).toHaveLength(1)

  await page.getByRole('link', { name: 'Logout' }).click()
  await expect(landing(page)).toBeVisible()
  await expect.poll(() => events).toEqual(['SIGNED_IN', 'TOKEN_REFRESHED', 'SIGNED_OUT'])
})

test('a refused refresh signs out at once, though the access token is still good', {
  tag: ['@AUTH-05'],
}, async ({ people, openAs, product, setTime }) => {
  const person = await people.join()
  const page = await openAs(person, NEUTRAL)
  // The feed would end with the session and sign the page out earlier.
  await keepFeedAway(page)
  await page.goto(`${product.url}/leaderboard`)
  await expect(page.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await page.evaluate(() => localStorage.setItem('probe', 'stays'))
  const signedOut = await fetch(`${product.url}/auth/v1/logout?scope=global`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.session.access_token}` },
  })
  expect(signedOut.status).toBe(204)
  await setTime(beforeExpiry(person, 110))
  const refused = page.waitForResponse(TOKEN)
  await page.clock.runFor(TICK_MS)
  const answer = await refused
  expect([answer.status(), (await answer.json()).code]).toEqual([400, 'refresh_token_not_found'])
  await expect(page).toHaveURL(`${product.url}/login`)
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  // Not a refusal of the product API, so only the session goes.
  expect(await stored(page)).toEqual({ probe: 'stays' })
})

test('an outage keeps the session, tried again after 200 ms, 400 ms, 800 ms until it is over', {
  tag: ['@AUTH-06', '@AUTH-18'],
}, async ({ people, openAs, setTime }) => {
  const person = await people.join()
  const page = await openAs(person, '/leaderboard')
  await expect(page.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  const outage = [502, null, 503, 504]
  const tried: number[] = []
  await page.route(TOKEN, async (route) => {
    const status = outage[tried.length]
    tried.push(await page.evaluate(() => Date.now()))
    if (status === null) await route.abort()
    else if (status === undefined) await route.continue()
    else await route.fulfill({ status, json: {} })
  })
  await setTime(beforeExpiry(person, 110))
  const arrived = page.waitForRequest(TOKEN)
  await page.clock.runFor(TICK_MS)
  await arrived
  await expect.poll(() => tried.length).toBeGreaterThanOrEqual(4)
  expect(await storedToken(page)).toBe(person.session.access_token)
  await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
  await expect.poll(() => storedToken(page)).not.toBe(person.session.access_token)
  expect(tried).toHaveLength(5)
  for (const [index, pause] of [200, 400, 800, 1600].entries()) {
    expect((tried[index + 1] ?? 0) - (tried[index] ?? 0)).toBeGreaterThanOrEqual(pause)
  }
  await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
})

for (const [clock, minutes] of [
  ['half an hour slow', -30],
  ['two hours fast', 120],
] as const) {
  test(`on a device whose clock is ${clock} the session is renewed at the end of its token, and only then`, async ({
    openAs,
    mailbox,
    product,
  }) => {
    const page = await openAs(null, NEUTRAL)
    const start = product.now().getTime()
    const calls: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      // Traders are offered beside the search, whenever its screen likes, and the live feed is opened again as often as it has to.
      if (/^\/v1\/(accounts\/suggestions|leaderboard|feed.*)$/.test(pathname)) return
      if (/^\/(v1|auth)\//.test(pathname)) calls.push(pathname)
    })
    const moveTo = async (later: number) => {
      await callsAnswered()
      calls.length = 0
      product.setTime(new Date(start + later * MINUTE_MS))
      await page.clock.setSystemTime(start + (minutes + later) * MINUTE_MS)
    }
    const search = async () => {
      await page.getByRole('button', { name: 'Search' }).click()
      await expect.poll(() => calls.at(-1)).toBe('/v1/accounts/search')
      await callsAnswered()
    }
    await moveTo(0)
    await comeIn(page, mailbox)
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('nobody')
    await search()

    await moveTo(57)
    await search()
    expect(calls).toEqual(['/v1/accounts/search'])
    await moveTo(61)
    await search()
    expect(calls).toEqual(['/auth/v1/token', '/v1/accounts/search'])
    await moveTo(62)
    await search()
    expect(calls).toEqual(['/v1/accounts/search'])
    await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
  })
}
