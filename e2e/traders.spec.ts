import { expectAccessible, sideways } from './accessible.ts'
import { expect, type Person, test } from './fixtures.ts'
import { completePayouts } from './paying-steps.ts'
import { expectToast } from './toasts.ts'
import { nextMarketDay, themeColour } from './trading-steps.ts'

const DAY_MS = 86_400_000
const PROFILE = '**/v1/accounts/profile?*'
const SEARCH = '**/v1/accounts/search?*'
const LEADERBOARD = '**/v1/leaderboard'
const UNKNOWN = "That user doesn't seem to exist..."

function profileOf(part: object = {}) {
  return {
    username: 'somebody',
    openPositions: 2,
    closedPositions: 3,
    averageProfit: 5,
    canSubscribe: true,
    isSubscribed: false,
    isSelf: false,
    latestPositions: [],
    priceCents: 1000,
    currency: 'usd',
    ...part,
  }
}

test('gains and losses have their colours, and a row leads to its trader', {
  tag: ['@LEAD-01', '@LEAD-02', '@LEAD-03', '@LEAD-04'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/')
  const leaderboard = [
    { username: 'best', averageGain: '12.34' },
    { username: 'even', averageGain: '0.00' },
    { username: 'worst', averageGain: '-3.20' },
  ]
  await page.route(LEADERBOARD, (route) => route.fulfill({ json: { leaderboard } }))
  await page.route(PROFILE, (route) => route.fulfill({ json: profileOf({ username: 'even' }) }))
  await page.getByRole('link', { name: 'Leaderboard', exact: true }).click()
  await expect(page.getByRole('columnheader')).toHaveText(['Trader', 'Average gain'])
  const [primary, destructive] = [await themeColour(page, 'primary'), await themeColour(page, 'destructive')]
  for (const [gain, colour] of [
    ['12.34%', primary],
    ['0.00%', primary],
    ['-3.20%', destructive],
  ] as const) {
    await expect(page.getByText(gain, { exact: true })).toHaveCSS('color', colour)
  }
  await page.getByText('0.00%', { exact: true }).click()
  await expect(page).toHaveURL(/\/trader\/even$/)
  await page.goBack()
  await page.getByRole('link', { name: 'worst' }).press('Enter')
  await expect(page).toHaveURL(/\/trader\/worst$/)
})

test('a profile is fetched while the pointer rests on its row', async ({ people, openAs }) => {
  // Not from the empty list of /, which asks for profiles itself.
  const page = await openAs(await people.join(), '/account')
  const leaderboard = [{ username: 'Best', averageGain: '12.34' }]
  let asked = 0
  await page.route(LEADERBOARD, (route) => route.fulfill({ json: { leaderboard } }))
  await page.route(PROFILE, (route) => {
    asked += 1
    return route.fulfill({ json: profileOf({ username: 'Best' }) })
  })
  await page.getByRole('link', { name: 'Leaderboard', exact: true }).click()
  const fetched = page.waitForResponse(PROFILE)
  await page.getByText('12.34%', { exact: true }).hover()
  await fetched
  await page.getByText('12.34%', { exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Best' })).toBeVisible()
  await expect(page.getByRole('group', { name: 'Open positions' })).toBeVisible()
  expect(asked).toBe(1)
})

test('an empty leaderboard shows that, and a failure is shown after one try', async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/')
  let asked = 0
  await page.route(LEADERBOARD, (route) => {
    asked += 1
    return route.fulfill(asked === 1 ? { status: 500, json: {} } : { json: { leaderboard: [] } })
  })
  await page.getByRole('link', { name: 'Leaderboard', exact: true }).click()
  await expect(page.getByText('Something went wrong, please try again.')).toBeVisible()
  await page.clock.runFor(40_000)
  expect(asked).toBe(1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Nobody is ranked yet.')).toBeVisible()
})

test('a trader is found by name, in small letters, with three figures and a way to the profile', {
  tag: [
    '@SEARCH-01',
    '@SEARCH-02',
    '@SEARCH-03',
    '@SEARCH-04',
    '@SEARCH-05',
    '@SEARCH-08',
    '@SEARCH-09',
    '@SEARCH-10',
  ],
}, async ({ people, openAs }) => {
  const wanted = await people.join({ username: `Found-${process.pid % 10_000}` })
  const page = await openAs(await people.join(), '/search')
  const field = page.getByPlaceholder('Search by username')
  const search = page.getByRole('button', { name: 'Search' })
  await expect(page.getByText('Search for a username in the field above.')).toBeVisible()
  await field.fill('ab')
  await expect(search).toBeDisabled()
  await field.fill('abc')
  await expect(search).toBeEnabled()
  await field.fill(wanted.username.toUpperCase())
  const sent = page.waitForRequest(SEARCH)
  await search.click()
  expect(new URL((await sent).url()).searchParams.get('username')).toBe(wanted.username.toLowerCase())
  await expect(page.getByRole('columnheader')).toHaveText([
    'Username',
    'Open Positions',
    'Closed Positions',
    'Average Profit',
    'Actions',
  ])
  await expect(page.getByRole('cell')).toContainText([wanted.username, '0', '0', 'N/A', 'View Profile'])
  await expect(page.getByRole('button', { name: 'Subscribe' })).toBeDisabled()
  await page.getByRole('link', { name: 'View Profile' }).click()
  await expect(page).toHaveURL(new RegExp(`/trader/${wanted.username}$`))
  // Coming back finds the result again.
  await page.goBack()
  await expect(page.getByRole('link', { name: 'View Profile' })).toBeVisible()
})

test('subscribing is offered where it is possible, and never for oneself', {
  tag: ['@SEARCH-11', '@SEARCH-12', '@SEARCH-13'],
}, async ({ people, follow, product, openAs }) => {
  const [trader, followed, reader] = [await people.join(), await people.join(), await people.join()]
  await completePayouts(product, trader)
  await completePayouts(product, followed)
  await follow(reader, followed)
  const page = await openAs(reader, '/search')
  const subscribe = page.getByRole('button', { name: 'Subscribe' })
  async function find(person: Person): Promise<void> {
    await page.getByPlaceholder('Search by username').fill(person.username)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('cell', { name: person.username }).first()).toBeVisible()
  }
  await find(reader)
  await expect(subscribe).toHaveCount(0)
  await find(followed)
  await expect(subscribe).toBeDisabled()
  await expect(subscribe).toHaveAccessibleDescription(`You follow @${followed.username}`)
  await expect(page.getByText('Nobody can subscribe to this trader now.')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Their positions' })).toHaveAttribute(
    'href',
    `/?tab=subscription&trader=${followed.username}`,
  )
  await find(trader)
  await subscribe.click()
  await expect(page).toHaveURL(new RegExp(`/trader/${trader.username}/subscribe$`))
})

test('a second name can be looked for while the first is on its way', async ({ people, openAs }) => {
  const [first, second] = [await people.join(), await people.join()]
  const page = await openAs(first, '/search')
  await page.route(SEARCH, (route) =>
    // Never answered.
    route.request().url().endsWith(`=${first.username}`) ? undefined : route.continue(),
  )
  const name = page.getByPlaceholder('Search by username')
  await name.fill(first.username)
  await name.press('Enter')
  await expect(page.locator('[aria-busy=true]').first()).toBeVisible()
  await name.fill(second.username)
  await name.press('Enter')
  await expect(page.getByRole('cell', { name: second.username })).toBeVisible()
})

test.describe('a search without a result', () => {
  const cases = [
    ['not found', { status: 404, json: { message: 'Y' } }],
    ['answered with a fault', { status: 500, json: { message: 'Y' } }],
    ['sent without a network', null],
  ] as const
  for (const [how, answer] of cases) {
    test(`a name that is ${how} has the one sentence`, {
      tag: ['@SEARCH-06', '@SEARCH-07', '@ERR-13'],
    }, async ({ people, openAs }) => {
      const page = await openAs(await people.join(), '/search')
      await page.route(SEARCH, (route) => (answer ? route.fulfill(answer) : route.abort()))
      await page.getByPlaceholder('Search by username').fill('nobody')
      await page.getByRole('button', { name: 'Search' }).click()
      await expect(page.getByText(UNKNOWN)).toBeVisible()
      await expect(page.getByText('Y', { exact: true })).toBeHidden()
    })
  }
})

test('the button of a profile depends on who looks', {
  tag: ['@PROF-01', '@PROF-02', '@PROF-03', '@PROF-04', '@PROF-05', '@PROF-06'],
}, async ({ people, follow, product, openAs, publish }) => {
  const [trader, amateur, reader] = [await people.join(), await people.join(), await people.join()]
  await completePayouts(product, trader)
  const page = await openAs(reader, `/trader/${trader.username}`)
  await expect(page.getByRole('heading', { name: trader.username })).toBeVisible()
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/trader/${trader.username}/subscribe$`))

  async function expectDisabled(person: Person, text: string): Promise<void> {
    await page.goto(`${product.url}/trader/${person.username}`)
    await expect(page.getByRole('button', { name: text, exact: true })).toBeDisabled()
  }
  await expectDisabled(reader, 'You cannot subscribe to yourself')
  await expectDisabled(amateur, 'Subscribing not available')
  await follow(reader, trader)
  await expectDisabled(trader, 'Subscribed!')
  await expect(page.getByRole('link', { name: /^See the/ })).toHaveCount(0)
  await publish(trader, 'JPM', 200)
  await page.reload()
  await page.getByRole('link', { name: 'See the 1 open now' }).click()
  await expect(page).toHaveURL(`${product.url}/?tab=subscription&trader=${trader.username}`)
  await expect(page.getByRole('button', { name: 'JPM' })).toBeVisible()
})

test('a profile shows three figures and what was closed, nothing that is open', {
  tag: ['@PROF-07', '@PROF-08', '@PROF-09'],
}, async ({ people, publish, market, openAs, product, setTime }) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await publish(trader, 'JPM', 200)
  await publish(trader, 'WMT', 100)
  await setTime(nextMarketDay(product))
  await market.setPrice('JPM', 210)
  const own = await openAs(trader, '/')
  await own.getByRole('button', { name: 'JPM' }).click()
  await own.getByRole('button', { name: 'Close Position' }).click()
  await own.getByRole('button', { name: 'Check Price' }).click()
  await own.getByRole('textbox', { name: 'Close notes' }).fill('Target reached.')
  await own.getByRole('button', { name: 'Submit' }).click()
  await expectToast(own, 'Position for JPM has been closed!')

  const page = await openAs(reader, `/trader/${trader.username}`)
  await expect(page.getByRole('group', { name: 'Open positions' })).toContainText('1')
  await expect(page.getByRole('group', { name: 'Closed positions' })).toContainText('1')
  await expect(page.getByRole('group', { name: 'Average profit %' })).toContainText('5.00%')
  const table = page.getByRole('table', { name: 'Recent positions' })
  await expect(table.getByRole('columnheader')).toHaveText(['Stock', 'Opened', 'Closed', 'Profit'])
  const row = table.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(row.getByRole('cell')).toContainText(['JPM', 'Nov 18, 2026', 'Nov 19, 2026', '5.00%'])
  await expect(page.getByText('WMT')).toHaveCount(0)
})

test('an unknown trader is named so in words, with a way on', { tag: ['@PROF-12'] }, async ({
  people,
  product,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trader/nobody-at-all')
  await expect(page.getByText(UNKNOWN)).toBeVisible()
  await page.getByRole('link', { name: 'Find a trader by name' }).click()
  await expect(page).toHaveURL(`${product.url}/search`)
})

test('a profile that cannot be loaded is tried once, and again when asked', async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/search')
  let asked = 0
  await page.route(SEARCH, (route) =>
    route.fulfill({
      json: {
        username: 'somebody',
        openPositions: 0,
        closedPositions: 0,
        averageProfit: null,
        isSelf: false,
        canSubscribe: false,
      },
    }),
  )
  await page.route(PROFILE, (route) => {
    asked += 1
    return route.fulfill(asked === 1 ? { status: 503, json: { message: 'Later.' } } : { json: profileOf() })
  })
  await page.getByPlaceholder('Search by username').fill('somebody')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'View Profile' }).click()
  await expect(page.getByText('Later.')).toBeVisible()
  await page.clock.runFor(40_000)
  expect(asked).toBe(1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('group', { name: 'Closed positions' })).toContainText('3')
})

test('on a phone nothing scrolls sideways', { tag: ['@phone'] }, async ({ people, product, openAs }) => {
  const trader = await people.join()
  const page = await openAs(trader, '/leaderboard')
  for (const path of ['/leaderboard', `/search?username=${trader.username}`, `/trader/${trader.username}`]) {
    await page.goto(product.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
  }
})

for (const phone of [false, true]) {
  test(`past its plan an open position stands on the profile ${phone ? 'of a phone' : 'for everybody'}, and its trader was mailed before`, {
    tag: phone ? ['@phone'] : [],
  }, async ({ people, publish, market, mailbox, openAs, product, setTime }) => {
    const trader = await people.join()
    await publish(trader, 'COST', 187.5)
    const opened = product.now().getTime()
    await setTime(new Date(opened + 20 * DAY_MS))
    const mail = await mailbox.latest(trader.email, 'COST becomes public on Dec 10')
    expect(mail.text).toContain('/?tab=personal')
    const visitor = await people.join()
    const page = await openAs(visitor, `/trader/${trader.username}`)
    const card = page.getByRole('region', { name: 'Past its plan' })
    await expect(page.getByRole('heading', { name: 'Recent positions' })).toBeVisible()
    await expect(card).toHaveCount(0)

    await market.setPrice('COST', 201.1)
    await setTime(new Date(opened + 22 * DAY_MS))
    await page.reload()
    const row = card.getByRole('row', { name: 'COST' })
    await expect(row).toContainText('Nov 18')
    await expect(row).toContainText('$187.50')
    await expectAccessible(page, 'a profile with a position past its plan')
    expect(await sideways(page)).toBeLessThanOrEqual(0)
  })
}
