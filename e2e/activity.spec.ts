import type { Locator, Page } from '@playwright/test'
import { publish as publishEvent } from '../server/test/followers.ts'
import { expectAccessible, sideways } from './accessible.ts'
import { callsAnswered, codeIn, expect, type Fixtures, type Mail, type Person, test } from './fixtures.ts'
import type { Product } from './product.ts'
import { askForCode, linkIn } from './sign-in-steps.ts'
import { fillInClose, nextMarketDay, startClosing } from './trading-steps.ts'

const items = (page: Page) => page.getByRole('article')
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

/** The page shows the item of a mail instead of the asked path: focused, marked, and in sight. */
async function expectLedTo(page: Page, words: RegExp): Promise<Locator> {
  const item = items(page).filter({ hasText: words })
  await expect(item).toBeFocused()
  await expect(item).toHaveAttribute('aria-current', 'true')
  await expect(item).toBeInViewport()
  return item
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
  await expect(closed.getByRole('heading')).toHaveText(new RegExp(`^@${trader.username} closed AAPL at \\$`))
  await expect(closed).toContainText('Target reached before earnings.')
  await expect(closed).toContainText('Opened because margins rise.')
  await expect(closed).toContainText('Mailed to you')
  await expect(items(page).last()).not.toContainText('Target reached')
  await expect(page.getByText('That is all.')).toBeVisible()
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await closed.getByRole('link', { name: `@${trader.username}` }).click()
  await expect(page).toHaveURL(`${product.url}/trader/${trader.username}`)

  await own.goto(`${product.url}/activity`)
  await expect(items(own).first().getByRole('heading')).toHaveText(/^You closed AAPL/)
  await expect(items(own).first()).toContainText('1 mail, within')
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
  await expect(items(first).getByText('New', { exact: true })).toHaveCount(2)
  await expect(link(first)).toHaveAccessibleName('Activity')

  await second.reload()
  await expect(second.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await link(second).click()
  await expect(items(second)).toHaveCount(2)
  await expect(items(second).getByText('New', { exact: true })).toHaveCount(0)
  // A page that shows the list would have shown it, and marked it.
  await first.goto(`${product.url}/leaderboard`)
  await second.goto(`${product.url}/leaderboard`)
  await publish(trader, 'NVDA', 100)
  await second.reload()
  await expect(link(second)).toHaveAccessibleName('Activity 1 unread')
  await link(second).click()
  await expect(items(second)).toHaveCount(3)
  await expect(items(second).getByText('New', { exact: true })).toHaveCount(1)
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
  const marks = items(page).getByText('New', { exact: true })
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
  await expect(items(page).nth(25)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(items(page).nth(25).getByRole('link')).toBeFocused()
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
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})
