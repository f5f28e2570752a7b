import type { Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { callsAnswered, expect, test } from './fixtures.ts'
import { accountAnswers, answerWith, offerAnswers } from './payments-answers.ts'
import { toastsOf } from './toasts.ts'
import { keepFeedAway, NEUTRAL } from './visiting-steps.ts'

test('positions and the check stay fresh for 5 minutes, account, profile and payments for 10, the leaderboard for 20', {
  tag: ['@CONST-06', '@CONST-07', '@CONST-08'],
}, async ({ people, openAs, product }) => {
  const person = await people.join()
  const page = await openAs(person, NEUTRAL)
  await answerWith(page, { ...offerAnswers(true), ...accountAnswers({ customer: true }) })
  const asked = new Map<string, number>()
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    // The empty list of / asks for the person's own profile.
    if ((searchParams.get('username') ?? 'maria') !== 'maria') return
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
  })
  const times = (...paths: string[]) => paths.map((path) => asked.get(`/v1/${path}`) ?? 0)
  const ofAccount = ['accounts/configuration', 'subscriptions', 'accounts/stripe/status']
  const ofTrader = ['accounts/profile', 'accounts/customer']
  const check = 'subscriptions/maria'
  const visit = async (path: string, heading: string) => {
    await page.evaluate((to) => {
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }, path)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect(page.locator('main [data-slot=skeleton]')).toHaveCount(0)
    // A screen that is left while it refreshes its list in the background would fetch the list once more.
    await callsAnswered()
  }
  const home = () => visit('/', 'Positions')
  const leaderboard = () => visit('/leaderboard', 'Leaderboard')
  const account = () => visit('/account', 'Account')
  const profile = () => visit('/trader/maria', 'maria')
  const subscribe = () => visit('/trader/maria/subscribe', 'Subscribe to @maria')
  const begun = product.now().getTime()
  // The page's time stands still, however long the visits take.
  const after = (minutes: number, seconds: number) =>
    page.clock.setFixedTime(begun + (minutes * 60 + seconds) * 1000)

  await after(0, 0)
  await page.goto(`${product.url}/`)
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  for (const visited of [leaderboard, profile, subscribe, account]) await visited()
  expect(times('positions', 'leaderboard', check)).toEqual([1, 1, 1])
  expect(times(...ofTrader, ...ofAccount)).toEqual([1, 1, 1, 1, 1])

  await after(4, 59)
  for (const visited of [home, subscribe, leaderboard]) await visited()
  expect(times('positions', check)).toEqual([1, 1])
  await after(5, 0)
  await home()
  await subscribe()
  await expect.poll(() => times('positions', check)).toEqual([2, 2])

  await after(9, 59)
  for (const visited of [profile, account, subscribe]) await visited()
  expect(times(...ofTrader, ...ofAccount)).toEqual([1, 1, 1, 1, 1])
  await after(10, 0)
  await account()
  await expect.poll(() => times(...ofAccount)).toEqual([2, 2, 2])
  await profile()
  await subscribe()
  await expect.poll(() => times(...ofTrader)).toEqual([2, 2])

  await after(19, 59)
  await leaderboard()
  await home()
  expect(times('leaderboard')).toEqual([1])
  await after(20, 0)
  await leaderboard()
  await expect.poll(() => times('leaderboard')).toEqual([2])
})

test('an account that was answered 500 is not asked again by the next screens within its ten minutes', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  let asked = 0
  await page.route('**/v1/accounts/configuration', (route) => {
    asked += 1
    return asked === 1 ? route.fulfill({ status: 500, json: {} }) : route.fallback()
  })
  const begun = product.now().getTime()
  const visit = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await callsAnswered()
  }
  const failed = page.getByRole('alert').getByText('Something went wrong, please try again.')

  await page.clock.setFixedTime(begun)
  await page.goto(`${product.url}/`)
  await expect(failed).toBeVisible()
  for (const at of [begun, begun + 599_000]) {
    await page.clock.setFixedTime(at)
    await visit('Account')
    await expect(failed).toBeVisible()
    await visit('Leaderboard')
    await visit('Home')
    await expect(failed).toBeVisible()
  }
  expect(asked).toBe(1)
  await page.clock.setFixedTime(begun + 600_000)
  await visit('Account')
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeVisible()
  expect(asked).toBe(2)
})

test('account, customer, payout status and profile are each asked once, and not again when they fail', {
  tag: ['@CONST-10'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  for (const [path, name] of [
    ['/account', 'accounts/configuration'],
    ['/trader/maria/subscribe', 'accounts/customer'],
    ['/account', 'accounts/stripe/status'],
    ['/trader/maria', 'accounts/profile'],
  ] as const) {
    const answers = { ...offerAnswers(true), ...accountAnswers({ customer: true, trader: true }) }
    const calls = await answerWith(page, { ...answers, [`GET ${name}`]: { status: 500, json: {} } })
    // Forty seconds of the page's clock without a sign of life end a feed, and what it has no number for is asked again after that.
    await keepFeedAway(page)
    await page.goto(product.url + path)
    await expect(
      page.getByRole('main').getByRole('button', { name: 'Try again' }).first(),
      name,
    ).toBeVisible()
    await page.clock.runFor(40_000)
    await callsAnswered()
    expect(calls.filter((call) => call === `GET ${name}`)).toHaveLength(1)
    await page.unrouteAll()
  }
})

test('positions, leaderboard and a profile that fail are asked once at each load, and again by a change after that alone', async ({
  people,
  follow,
  openAs,
  publish,
  setTime,
  product,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(trader, 'AAPL', 180)
  const page = await openAs(reader, NEUTRAL)
  for (const [path, name, symbol, times] of [
    ['/', 'positions', 'MSFT', 2],
    ['/leaderboard', 'leaderboard', 'NVDA', 1],
    [`/trader/${reader.username}`, 'accounts/profile', 'KO', 1],
  ] as const) {
    // A request on its way right after a change is sent again.
    await setTime(new Date(product.now().getTime() + 60_000))
    let asked = 0
    await page.route(new RegExp(`/v1/${name}(\\?|$)`), (route) => {
      asked += 1
      return route.fulfill({ status: 500, json: {} })
    })
    const feed = page.waitForResponse('**/v1/feed')
    await page.goto(product.url + path)
    const again = page.getByRole('main').getByRole('button', { name: 'Try again' }).first()
    await expect(again, name).toBeVisible()
    await feed
    // A position that is announced comes after what the feed begins with, and changes the list alone.
    await publish(trader, symbol, 100)
    await expect.poll(() => toastsOf(page)).toEqual([expect.stringContaining(symbol)])
    await callsAnswered()
    expect(asked, name).toBe(times)
    await page.unrouteAll()
  }
})

test('a screen that is loaded again asks whether its list is the same, is answered 304, and shows what the browser kept', async ({
  people,
  openAs,
  publish,
  product,
}) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 180)
  // A list that is loaded right after a change is asked for again once the live feed is open.
  const aMinuteLater = () => product.setTime(new Date(product.now().getTime() + 60_000))
  aMinuteLater()
  const page = await openAs(trader, NEUTRAL)
  const lists = await watchWire(page, '/v1/positions')
  const home = async (...symbols: string[]) => {
    await page.goto(`${product.url}/`)
    for (const symbol of symbols) await expect(page.getByText(symbol, { exact: true })).toBeVisible()
    await callsAnswered()
  }

  await home('AAPL')
  await expect.poll(lists).toEqual([{ known: undefined, status: 200, tag: expect.stringMatching(/^W\/"/) }])
  const [{ tag } = {}] = lists()
  await home('AAPL')
  await expect.poll(lists).toMatchObject([{}, { known: tag, status: 304, tag }])

  await page.goto(product.url + NEUTRAL)
  await publish(trader, 'MSFT', 400)
  aMinuteLater()
  await home('AAPL', 'MSFT')
  await expect.poll(lists).toMatchObject([{}, {}, { known: tag, status: 200 }])
  expect(lists()[2]?.tag).not.toBe(tag)
})

test('the next person at a browser is shown nothing of what it kept for the last', async ({
  people,
  openAs,
  publish,
  product,
}) => {
  const [last, next] = [await people.join(), await people.join()]
  await publish(last, 'AAPL', 180)
  const page = await openAs(last, '/')
  await expect(page.getByText('AAPL', { exact: true })).toBeVisible()
  await callsAnswered()
  await page.goto(product.url + NEUTRAL)
  await page.evaluate(([key, session]) => localStorage.setItem(key, session), [
    AUTH_STORAGE_KEY,
    JSON.stringify(next.session),
  ] as const)

  const lists = await watchWire(page, '/v1/positions')
  await page.goto(`${product.url}/`)
  await expect(page.getByText('No positions available.')).toBeVisible()
  await expect(page.getByText('AAPL', { exact: true })).toHaveCount(0)
  await expect.poll(lists).toMatchObject([{ known: expect.stringMatching(/^W\/"/), status: 200 }])
})

type Exchange = { known: string | undefined; status: number; tag: string | undefined }

/**
 * Records the real exchanges over the wire for an address; a page sees 200 where its browser was answered 304.
 * @returns the exchanges so far, in order: the tag that the browser sent, the status, the tag that came
 */
async function watchWire(page: Page, path: string): Promise<() => Exchange[]> {
  const wire = await page.context().newCDPSession(page)
  const asked = new Map<string, Partial<Exchange>>()
  const paths = new Map<string, string>()
  const note = (id: string, part: Partial<Exchange>) => asked.set(id, { ...asked.get(id), ...part })
  wire.on('Network.requestWillBeSent', ({ requestId, request }) =>
    paths.set(requestId, new URL(request.url).pathname),
  )
  wire.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) =>
    note(requestId, { known: headerIn(headers, 'if-none-match') }),
  )
  wire.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode, headers }) =>
    note(requestId, { status: statusCode, tag: headerIn(headers, 'etag') }),
  )
  await wire.send('Network.enable')
  return () =>
    [...asked]
      .filter(([id, { status }]) => paths.get(id) === path && status !== undefined)
      .map(([, exchange]) => exchange as Exchange)
}

function headerIn(headers: Record<string, string>, name: string): string | undefined {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
}
