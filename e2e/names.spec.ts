import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { completePayouts } from './paying-steps.ts'
import { expectToast } from './toasts.ts'

async function focusByTab(page: Page, name: string | RegExp): Promise<void> {
  const target = page.getByRole('link', { name }).or(page.getByRole('button', { name })).first()
  for (let pressed = 0; pressed < 40; pressed += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`the keyboard does not reach ${name}`)
}

test('one’s own profile is one press away, once there is a username', async ({ people, openAs, product }) => {
  const nameless = await openAs(await people.join({ username: null }), '/account')
  await expect(nameless.getByRole('region', { name: 'Profile' }).getByRole('textbox')).toBeVisible()
  await expect(nameless.getByRole('link', { name: 'My profile' })).toHaveCount(0)
  const person = await people.join()
  const page = await openAs(person, '/')
  const link = page.getByRole('complementary').getByRole('link', { name: 'My profile' })
  await link.click()
  await expect(page).toHaveURL(`${product.url}/trader/${person.username}`)
  await expect(link).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('heading', { level: 1, name: person.username })).toBeVisible()
})

test('the name at the head of the drawer leads to one’s own profile', { tag: ['@phone'] }, async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/')
  await page.getByRole('button', { name: 'Menu' }).tap()
  const link = page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: `@${person.username}` })
  // Its own height: while the drawer moves, what is painted differs by parts of a pixel.
  expect(await link.evaluate((element) => (element as HTMLElement).offsetHeight)).toBeGreaterThanOrEqual(44)
  await page.clock.runFor(600)
  await link.tap()
  await expect(page).toHaveURL(`${product.url}/trader/${person.username}`)
  await expect(page.getByRole('dialog', { name: 'Menu' })).toHaveCount(0)
})

test('a name has the same letters and colour wherever it stands, and they are not read out', async ({
  people,
  openAs,
  rank,
  product,
}) => {
  const trader = await people.join({ username: `Zoe-${process.pid % 10_000}` })
  await rank(trader, 5)
  const page = await openAs(trader, `/trader/${trader.username}`)
  const look = (monogram: Locator) =>
    monogram.evaluate((element) => {
      const { color, backgroundColor } = getComputedStyle(element)
      return [getComputedStyle(element, '::before').content, color, backgroundColor]
    })
  const there = await look(page.getByRole('main').locator('[data-slot=monogram]').first())
  expect(there[0]).toBe('"ZO"')
  await page.goto(`${product.url}/leaderboard`)
  await expect(page.getByRole('link', { name: trader.username, exact: true })).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: trader.username })
  expect(await look(row.locator('[data-slot=monogram]'))).toEqual(there)
  await expect(row.locator('[data-slot=monogram]')).toHaveAttribute('aria-hidden', 'true')
})

test('a profile is shared by its address', async ({ people, openAs, product }) => {
  const person = await people.join()
  const page = await openAs(person, `/trader/${person.username}`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, 'share'))
  await page.getByRole('button', { name: 'Share this profile' }).press('Enter')
  await expectToast(page, 'Link copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${product.url}/trader/${person.username}`,
  )
})

test('the price stands beside Subscribe, and a menu beside Subscribed!, which the keyboard opens and leaves', async ({
  people,
  follow,
  openAs,
  product,
}) => {
  const [trader, reader, amateur] = [await people.join(), await people.join(), await people.join()]
  await completePayouts(product, trader)
  const page = await openAs(reader, `/trader/${trader.username}`)
  await expect(page.getByRole('button', { name: 'Subscribe', exact: true })).toBeVisible()
  await expect(page.getByText('$10 a month', { exact: true })).toBeVisible()
  const menu = page.locator('summary[aria-label="Your subscription"]')
  await expect(menu).toHaveCount(0)
  await page.goto(`${product.url}/trader/${amateur.username}`)
  await expect(page.getByRole('button', { name: 'Subscribing not available' })).toBeVisible()
  await expect(page.getByText('a month')).toHaveCount(0)

  await follow(reader, trader)
  await page.goto(`${product.url}/trader/${trader.username}`)
  await expect(page.getByRole('button', { name: 'Subscribed!' })).toBeDisabled()
  await expect(page.getByText('a month')).toHaveCount(0)
  const theirs = page.getByRole('link', { name: 'Their positions' })
  await expect(theirs).toBeHidden()
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(theirs).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(theirs).toBeHidden()
  await expect(menu).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/?tab=subscription&trader=${trader.username}`)
  await page.goto(`${product.url}/trader/${trader.username}`)
  await menu.press('Enter')
  await page.getByRole('link', { name: 'Unsubscribe from mails' }).press('Enter')
  await expect(page).toHaveURL(`${product.url}/account#subscriptions`)
  await page.goto(`${product.url}/trader/${trader.username}`)
  await menu.press('Enter')
  const asked = page.waitForRequest('**/v1/subscriptions/*/manage')
  await page.route('**/v1/subscriptions/*/manage', (route) =>
    route.fulfill({ status: 409, json: { message: 'Set up billing first.', code: 'customer_required' } }),
  )
  await page.getByRole('button', { name: 'Cancel subscription' }).press('Enter')
  await asked
  await expect(page.getByRole('alert')).toHaveText('Set up billing first.')
})

test('traders are offered before anything is typed, by a beginning and for a near miss, to the keyboard too', {
  tag: ['@SEARCH-20', '@SEARCH-21', '@SEARCH-22'],
}, async ({ people, openAs, rank, product }) => {
  const number = process.pid % 10_000
  const [one, two, unknown] = [
    await people.join({ username: `quentin-${number}` }),
    await people.join({ username: `quentina${number}` }),
    await people.join({ username: `quentin_x${number}` }),
  ]
  await rank(one, 900)
  await rank(two, 901.5)
  const page = await openAs(await people.join(), '/search')
  const offered = (title: string | RegExp) => page.getByRole('region', { name: title }).getByRole('link')
  await expect(page.getByText('Search for a username in the field above.')).toBeVisible()
  await expect(offered('Top of the leaderboard').nth(0)).toHaveText(new RegExp(`${two.username}.*901\\.50%`))
  await expect(offered('Top of the leaderboard').nth(1)).toHaveText(new RegExp(one.username))

  const field = page.getByPlaceholder('Search by username')
  await field.fill('Quentin')
  await expect(offered(/^Names that begin with “quentin”$/)).toHaveText([
    new RegExp(`${one.username}.*900\\.00%`),
    new RegExp(two.username),
  ])
  await expect(page.getByText(unknown.username)).toHaveCount(0)
  await focusByTab(page, new RegExp(two.username))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/trader/${two.username}`)

  await page.goto(`${product.url}/search`)
  await field.fill(`qeuntin-${number}`)
  await page.keyboard.press('Enter')
  await expect(page.getByText("That user doesn't seem to exist...")).toBeVisible()
  await expect(offered('Did you mean')).toHaveText([new RegExp(one.username)])
  await focusByTab(page, new RegExp(one.username))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/trader/${one.username}`)

  await page.goto(`${product.url}/search`)
  await field.fill('qqqq')
  await expect(
    page.getByRole('status').filter({ hasText: 'No trader’s name begins with “qqqq”.' }),
  ).toBeVisible()
  await expect(page.getByText('Search for a username in the field above.')).toHaveCount(0)
  // Somebody who found nobody is offered the best, also where no column has room beside.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(offered('Top of the leaderboard').nth(0)).toBeVisible()
  await page.setViewportSize({ width: 1280, height: 800 })
  await field.fill('')
  await expect(offered('Top of the leaderboard').nth(0)).toBeVisible()
})

test('one pause in typing is one question, and what was typed before it is not asked for', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/search')
  const asked: string[] = []
  await page.route('**/v1/accounts/suggestions?*', (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('username') ?? '')
    return route.fulfill({
      json: { match: 'beginning', traders: [{ username: 'mario', averageGain: '1.00' }] },
    })
  })
  const field = page.getByPlaceholder('Search by username')
  await field.fill('m')
  await expect.poll(() => asked).toEqual(['m'])
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000)
  for (const typed of ['ma', 'mar', 'mari']) {
    await field.fill(typed)
    await page.clock.runFor(100)
  }
  await page.clock.runFor(300)
  await expect.poll(() => asked).toEqual(['m', 'mari'])
  await expect(page.getByRole('region', { name: 'Names that begin with “mari”' })).toBeVisible()
})
