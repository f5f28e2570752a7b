import type { Locator, Page } from '@playwright/test'
import { publish as publishEvent } from '../server/test/followers.ts'
import { expectAccessible, sideways } from './accessible.ts'
import { callsAnswered, codeIn, expect, type Fixtures, type Mail, type Person, test } from './fixtures.ts'
import type { Product } from './product.ts'
import { askForCode, linkIn } from './sign-in-steps.ts'
import { fillInClose, nextMarketDay, startClosing } from './trading-steps.ts'
import { returnTo } from './visiting-steps.ts'

const items = (page: Page) => page.getByRole('article')
const dots = (page: Page) => page.locator('[data-slot=unread]')
const link = (page: Page) => page.getByRole('link', { name: /^Activity/ }).filter({ visible: true })

/** Where the button of a mail leads. */
function buttonOf(mail: Mail): string {
  return /https?:\/\/\S+\/activity\?item=\S+/.exec(mail.text)?.[0] ?? ''
}

/** Events of a trader, a second apart from now on, straight in the tables. */
async function publishMany(product: Product, trader: Person, count: number): Promise<void> {
  const crowd = { traderId: trader.id, username: trader.username }
  for (let nth = 1; nth <= count; nth += 1) {
    const at = new Date(product.now().getTime() + nth * 1000)
    await publishEvent(product.database.db, crowd, { symbol: `S${nth}` }, at)
  }
}

/** The item's window is open, over the item that is marked and in sight; once it is closed, the item has the focus. */
async function expectLedTo(page: Page, words: RegExp): Promise<void> {
  await expect(page.getByRole('dialog').locator('[data-slot=activity-event]')).toHaveText(words)
  const item = page.locator('article[aria-current=true]')
  await expect(item).toHaveCount(1)
  await expect(item).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(item.getByRole('button')).toBeFocused()
}

/** Opens an item. */
async function choose(page: Page, item: Locator): Promise<Locator> {
  await item.getByRole('button').click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  return dialog
}

test('a follower reads both notes of a close, by day, with how long the mail took', {
  tag: ['@ACT-03'],
}, async ({ people, follow, publish, openAs, setTime, product, mailbox }) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publish(trader, 'AAPL', 100, 'Opened because margins rise.')
  await setTime(nextMarketDay(product))
  const own = await openAs(trader, '/?tab=personal')
  const dialog = await startClosing(own, 'AAPL')
  await fillInClose(dialog)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog).toBeHidden()
  await mailbox.untilNothingIsLeft()

  const page = await openAs(follower, '/activity')
  await expect(items(page)).toHaveCount(2)
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Today', 'Yesterday'])
  const closed = items(page).first()
  await expect(closed.getByRole('heading')).toHaveText(new RegExp(`^${trader.username} closed AAPL at \\$`))
  await expect(closed).toContainText('Target reached before earnings.')
  await expect(items(page).last()).toContainText('Opened because margins rise.')
  await expect(page.getByText('That is all.')).toBeVisible()
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  const window = await choose(page, closed)
  await expect(window.getByRole('region', { name: 'Close notes' })).toContainText(
    'Target reached before earnings.',
  )
  await expect(window.getByRole('region', { name: 'Open notes' })).toContainText(
    'Opened because margins rise.',
  )
  await expect(window).toContainText('Mailed to you')
  await expect(window.getByRole('term').filter({ hasText: 'Close Price' })).toBeVisible()
  await expectAccessible(page)
  await window.getByRole('link', { name: trader.username }).click()
  await expect(page).toHaveURL(`${product.url}/trader/${trader.username}`)

  await own.goto(`${product.url}/activity`)
  await expect(items(own).first().getByRole('heading')).toHaveText(/^You closed AAPL/)
  await expect(await choose(own, items(own).first())).toContainText('1 mail, within')
})

test('an item of an open position has what it is worth, the way to the trader’s others, and its ticker to copy', {
  tag: ['@ACT-10'],
}, async ({ people, follow, publish, market, openAs, product, setTime }) => {
  const [trader, other, follower] = [await people.join(), await people.join(), await people.join()]
  for (const one of [trader, other]) await follow(follower, one)
  await publish(trader, 'AAPL', 100, 'Opened because margins rise.')
  await publish(other, 'KO', 60)
  await market.setPrice('AAPL', 112.345)
  const page = await openAs(follower, '/activity')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const item = items(page).filter({ hasText: 'AAPL' })
  await expect(item.getByRole('button')).toHaveAccessibleName(
    new RegExp(`^${trader.username} opened AAPL at \\$100\\.00 ?, unread$`),
  )
  expect((await item.boundingBox())?.height).toBeLessThanOrEqual(73)
  const dialog = await choose(page, item)
  await expect(dialog.getByRole('region', { name: 'Open notes' })).toContainText(
    'Opened because margins rise.',
  )
  const soFar = dialog.getByRole('region', { name: 'So far' })
  await expect(async () => {
    await setTime(new Date(product.now().getTime() + 31_000))
    await returnTo(page)
    await expect(soFar).toContainText('+12.35%', { timeout: 2000 })
  }).toPass()
  await expect(dialog.getByRole('button', { name: 'Close Position' })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Copy ticker' }).click()
  await expect(dialog.getByText('Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('AAPL')
  await expectAccessible(page)
  await dialog.getByRole('link', { name: 'Their other positions' }).click()
  await expect(page).toHaveURL(`${product.url}/?tab=subscription&trader=${trader.username}`)
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('AAPL')
  await page.getByRole('link', { name: 'Show all' }).click()
  await expect(rows).toHaveCount(2)
})

test('a trader closes a position from its item, and the item of the opening shows that it is closed', async ({
  people,
  publish,
  openAs,
  product,
  setTime,
}) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 100)
  await setTime(nextMarketDay(product))
  const page = await openAs(trader, '/activity')
  const dialog = await choose(page, items(page).first())
  await dialog.getByRole('button', { name: 'Close Position' }).click()
  await fillInClose(dialog)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(items(page)).toHaveCount(2)
  const opening = await choose(page, items(page).last())
  await expect(opening).toContainText('This position has been closed')
  await expect(opening.getByRole('button', { name: 'Close Position' })).toHaveCount(0)
})

test('the list is narrowed to one trader or oneself, keeps that in its address, and is widened again', async ({
  people,
  follow,
  publish,
  openAs,
  product,
}) => {
  const [trader, other, follower] = [await people.join(), await people.join(), await people.join()]
  for (const one of [trader, other]) await follow(follower, one)
  await publish(trader, 'AAPL', 100)
  await publish(other, 'KO', 60)
  await publish(follower, 'MSFT', 400)
  const page = await openAs(follower, '/leaderboard')
  // Followers have billing set up, which the subscriptions of this file come without.
  await page.route('**/v1/accounts/configuration', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), customer: true } })
  })
  await page.goto(`${product.url}/activity`)
  await expect(items(page)).toHaveCount(3)
  const filter = page.getByRole('combobox', { name: 'Showing' })
  await filter.selectOption(trader.username)
  await expect(items(page)).toHaveCount(1)
  await expect(items(page)).toContainText('AAPL')
  await expect(page).toHaveURL(`${product.url}/activity?trader=${trader.username}`)
  await expectAccessible(page)
  await page.reload()
  await expect(items(page)).toHaveCount(1)
  await filter.selectOption('Yourself')
  await expect(items(page)).toContainText(['You opened MSFT'])
  await filter.selectOption('Everybody')
  await expect(items(page)).toHaveCount(3)
  await page.goto(`${product.url}/activity?trader=nobody-here`)
  await expect(page.getByText('Nothing of this trader is in your activity.')).toBeVisible()
})

test('all is marked as read in one press, from an old item too', async ({
  people,
  follow,
  openAs,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publishMany(product, trader, 30)
  const page = await openAs(follower, `/activity?item=${trader.username}.1`)
  await expectLedTo(page, /opened S1 at/)
  await expect(link(page)).toHaveAccessibleName('Activity 30 unread')
  await page.getByRole('button', { name: 'Mark all read' }).click()
  await expect(link(page)).toHaveAccessibleName('Activity')
  await expect(dots(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Mark all read' })).toHaveCount(0)
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  await page.reload()
  await page.keyboard.press('Escape')
  await expect(items(page)).toHaveCount(1)
  await expect(dots(page)).toHaveCount(0)
})

test('unread items are counted on every device, and read once it was shown on one', async ({
  people,
  follow,
  publish,
  openAs,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publish(trader, 'AAPL', 100)
  await publish(trader, 'MSFT', 100)
  const [first, second] = [await openAs(follower, '/'), await openAs(follower, '/leaderboard')]
  for (const page of [first, second]) await expect(link(page)).toHaveAccessibleName('Activity 2 unread')
  await link(first).click()
  await expect(items(first)).toHaveCount(2)
  await expect(dots(first)).toHaveCount(2)
  await expect(items(first).first().getByRole('button')).toHaveAccessibleName(/, unread$/)
  await expect(link(first)).toHaveAccessibleName('Activity')

  await second.reload()
  await expect(second.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await link(second).click()
  await expect(items(second)).toHaveCount(2)
  await expect(dots(second)).toHaveCount(0)
  // A page that shows the list would have shown it, and marked it.
  await first.goto(`${product.url}/leaderboard`)
  await second.goto(`${product.url}/leaderboard`)
  await publish(trader, 'NVDA', 100)
  await second.reload()
  await expect(link(second)).toHaveAccessibleName('Activity 1 unread')
  await link(second).click()
  await expect(items(second)).toHaveCount(3)
  await expect(dots(second)).toHaveCount(1)
})

test('a new item stays new while the list is open, though it is read and asked for again', async ({
  people,
  follow,
  publish,
  openAs,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publish(trader, 'AAPL', 100)
  const page = await openAs(follower, '/activity')
  const marks = dots(page)
  await expect(marks).toHaveCount(1)
  await expect(link(page)).toHaveAccessibleName('Activity')
  await publish(trader, 'MSFT', 100)
  await expect(items(page)).toHaveCount(2)
  await expect(marks).toHaveCount(2)
  await expect(link(page)).toHaveAccessibleName('Activity')
  await page.reload()
  await expect(items(page)).toHaveCount(2)
  await expect(marks).toHaveCount(0)
})

test('the button of a mail leads somebody who is signed in to its item, and explains it when it is not theirs', {
  tag: ['@ACT-04'],
}, async ({ people, follow, publish, openAs, mailbox, product }) => {
  const [trader, follower, stranger] = [await people.join(), await people.join(), await people.join()]
  await follow(follower, trader)
  await publish(trader, 'AAPL', 100)
  const address = buttonOf(await mailbox.latest(follower.email, `@${trader.username} opened AAPL at $100.00`))
  await publishMany(product, trader, 30)

  // The page begins at an old item, and newer ones stay unread.
  const page = await openAs(follower, address.replace(product.url, ''))
  await expectLedTo(page, /opened AAPL/)
  await expect(link(page)).toHaveAccessibleName('Activity 31 unread')
  await page.getByRole('link', { name: 'Newer activity' }).click()
  await expect(items(page).first()).toContainText('S30')
  await expect(page).toHaveURL(`${product.url}/activity`)

  const strange = await openAs(stranger, address.replace(product.url, ''))
  await expect(strange.getByText('That is not in your activity.')).toBeVisible()
  await expectAccessible(strange)
  expect(await sideways(strange)).toBeLessThanOrEqual(0)
  await strange.getByRole('link', { name: 'See all activity' }).click()
  await expect(strange.getByText('Nothing has happened yet.')).toBeVisible()
})

test('the button of a mail leads somebody who is signed out to its item after sign-in, by code or by link', {
  tag: ['@ACT-05'],
}, async ({ people, follow, publish, openAs, mailbox, product, setTime }) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publish(trader, 'AAPL', 100)
  const address = buttonOf(await mailbox.latest(follower.email, `@${trader.username} opened AAPL at $100.00`))
  const path = address.replace(product.url, '')
  // Past the pause between two sign-in mails.
  await setTime(new Date(product.now().getTime() + 10 * 60_000))
  // The page shows its next step before the mail is there.
  const nextMail = async (asks: Page) => {
    const before = (await mailbox.all(follower.email)).length
    await askForCode(asks, follower.email)
    await expect.poll(async () => (await mailbox.all(follower.email)).length).toBe(before + 1)
    return mailbox.latest(follower.email)
  }
  const page = await openAs(null, path)
  const code = codeIn(await nextMail(page))
  await page.reload()
  await page.getByRole('textbox', { name: 'Code' }).fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expectLedTo(page, /opened AAPL/)
  await expect(page).toHaveURL(address)

  await setTime(new Date(product.now().getTime() + 10 * 60_000))
  const again = await openAs(null, path)
  const link = linkIn(await nextMail(again))
  const tab = await again.context().newPage()
  await tab.goto(link)
  await expectLedTo(tab, /opened AAPL/)
  // Once it was shown, signing in leads to / again.
  await tab.goto(`${product.url}/login`)
  await expect(tab).toHaveURL(`${product.url}/`)
})

test('sign-in leads nowhere but to an item, whatever an address contains', { tag: ['@ACT-06'] }, async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  for (const item of ['https://elsewhere.example/', '//elsewhere.example', '../account', 'maria']) {
    const page = await openAs(person, `/login?item=${encodeURIComponent(item)}`)
    await expect(page.getByText('That is not in your activity.')).toBeVisible()
    await expect(page).toHaveURL(`${product.url}/activity?item=${encodeURIComponent(item)}`)
  }
})

/** The activity of a follower whose trader has published thirty times: 25 are shown. */
async function openThirty({
  people,
  follow,
  openAs,
  product,
}: Pick<Fixtures, 'people' | 'follow' | 'openAs' | 'product'>): Promise<{ trader: Person; page: Page }> {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publishMany(product, trader, 30)
  const page = await openAs(follower, '/activity')
  await expect(items(page)).toHaveCount(25)
  return { trader, page }
}

test('older items are reached by the keyboard, page by page, to the end', async ({
  people,
  follow,
  openAs,
  product,
}) => {
  const { page } = await openThirty({ people, follow, openAs, product })
  await page.getByRole('button', { name: 'Show more' }).focus()
  await page.keyboard.press('Enter')
  await expect(items(page)).toHaveCount(30)
  await expect(items(page).nth(25).getByRole('button')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(items(page).nth(25).getByRole('button')).toBeFocused()
  await expect(page.getByText('That is all.')).toBeVisible()
})

test('an event while older items are on their way takes nothing from them, and is shown too', async ({
  people,
  follow,
  publish,
  openAs,
  product,
}) => {
  const { page, trader } = await openThirty({ people, follow, openAs, product })
  await callsAnswered()
  const PAGE = '**/v1/activity?after=*'
  const happened = Promise.withResolvers<void>()
  await page.route(PAGE, async (route) => {
    await happened.promise
    await route.continue()
  })
  const asked = page.waitForRequest(PAGE)
  await page.getByRole('button', { name: 'Show more' }).click()
  await asked
  await publish(trader, 'AAPL', 100)
  await expect(page.getByText(`@${trader.username} opened AAPL`).first()).toBeVisible()
  happened.resolve()
  await expect(items(page)).toHaveCount(31)
  await expect(items(page).filter({ hasText: 'AAPL' })).toHaveCount(1)
})

test('a page that fails shows the failure and is asked for again where it stands', async ({
  people,
  follow,
  openAs,
  product,
}) => {
  const { page } = await openThirty({ people, follow, openAs, product })
  // Once its feed is open the page may ask for the list again, which takes the failure of a page away.
  await callsAnswered()
  await page.route('**/v1/activity?after=*', (route) => route.fulfill({ status: 503, json: {} }))
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByRole('alert')).toContainText('Something went wrong, please try again.')
  await expect(items(page)).toHaveCount(25)
  await page.unroute('**/v1/activity?after=*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(items(page)).toHaveCount(30)
})

test('on a phone the top bar has the way to Activity, with what is unread', { tag: ['@phone'] }, async ({
  people,
  follow,
  publish,
  openAs,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publish(trader, 'AAPL', 100)
  const page = await openAs(follower, '/')
  await expect(link(page)).toHaveAccessibleName('Activity 1 unread')
  await link(page).tap()
  await expect(items(page)).toHaveCount(1)
  const item = items(page).first()
  expect((await item.boundingBox())?.height).toBeLessThanOrEqual(73)
  await item.tap({ position: { x: 200, y: 60 } })
  await expect(page.getByRole('dialog', { name: 'AAPL' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})
