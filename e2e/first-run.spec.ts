import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { CARDS, fillInCard, onboard } from './paying-steps.ts'
import { expectToast } from './toasts.ts'
import { checkPrice, NOTES, startClosing } from './trading-steps.ts'

/** Presses, counted: typing is none. */
function presser() {
  let count = 0
  const press = async (target: Locator) => {
    await target.click()
    count += 1
  }
  return { press, presses: () => count }
}

const followCard = (page: Page) => page.getByRole('region', { name: 'Follow somebody' })
const publishCard = (page: Page) => page.getByRole('region', { name: 'Publish yourself' })

let serial = 0
function freshName(): string {
  serial += 1
  return `f${process.pid % 10_000}-${serial}-${Date.now() % 100_000}`.slice(0, 15)
}

test('a new trader gets from the empty page to the first signal with ten presses, and what was typed before the username stays', async ({
  people,
  market,
  openAs,
  product,
}) => {
  await market.setPrice('AMD', 131.25)
  const page = await openAs(await people.join({ username: null }), '/')
  const { press, presses } = presser()
  await press(page.getByRole('button', { name: 'New Position' }))
  await page.getByRole('textbox', { name: 'Ticker' }).fill('AMD')
  await page.getByRole('combobox', { name: 'Position length' }).selectOption({ label: '1-3 months' })
  await page.getByRole('textbox', { name: 'Open notes' }).fill(NOTES)
  await press(page.getByRole('checkbox'))
  await press(page.getByRole('link', { name: 'Set up a username' }))

  const name = freshName()
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused()
  await page.keyboard.type(name)
  await press(page.getByRole('button', { name: 'Set Username' }))
  await press(page.getByRole('button', { name: 'Confirm' }))
  await expectToast(page, `Your username is ${name}.`)
  await expect(page).toHaveURL(`${product.url}/trade`)
  await expect(page.getByText('Username required')).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'Ticker' })).toHaveValue('AMD')
  await expect(page.getByRole('combobox', { name: 'Position length' })).toHaveValue('one_to_three_months')
  await expect(page.getByRole('textbox', { name: 'Open notes' })).toHaveValue(NOTES)
  await expect(page.getByRole('checkbox')).toBeChecked()

  await press(page.getByRole('button', { name: 'Check Price' }))
  await press(page.getByRole('button', { name: 'Open Position' }))
  await expect(page.getByRole('row', { name: /AMD/ })).toBeVisible()
  expect(presses()).toBeLessThanOrEqual(10)
})

test('a new follower gets from the empty page to the first subscription with eight presses at most', async ({
  people,
  openAs,
  rank,
  product,
}) => {
  const [closed, offered] = [await people.join(), await people.join()]
  await rank(closed, 9000)
  await rank(offered, 8000)
  await onboard(await openAs(offered, '/account'))
  const page = await openAs(await people.join({ username: null }), '/')
  const { press, presses } = presser()
  const row = followCard(page).getByRole('link', { name: offered.username })
  await expect(row).toContainText('8000.00%')
  await expect(row).toContainText('$10 a month')
  // Nobody can follow the best of all.
  await expect(followCard(page).getByText(closed.username)).toHaveCount(0)
  await press(row)
  await press(page.getByRole('button', { name: 'Subscribe', exact: true }))
  await press(page.getByRole('button', { name: /^Continue( on Stripe)?$/ }))
  await fillInCard(page, CARDS.good)
  await press(page.getByRole('button', { name: 'Subscribe' }))
  await page.waitForURL(/\/payment\/success/)
  await press(page.getByRole('button', { name: 'Go Home' }))
  await expect(page).toHaveURL(`${product.url}/`)
  expect(presses()).toBeLessThanOrEqual(8)
})

test('the three steps of publishing fill in, and each missing one leads to its place', async ({
  people,
  publish,
  openAs,
  rank,
  product,
}) => {
  const newcomer = await openAs(await people.join({ username: null }), '/')
  const steps = publishCard(newcomer).getByRole('listitem')
  await expect(steps).toHaveText([/^Set a username/, /^Publish your first position/, /^Set up payouts/])
  await expect(publishCard(newcomer).getByText('0 of 3 done')).toBeVisible()
  await expect(steps.getByRole('link')).toHaveCount(3)
  expect(
    await steps.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual(['/account', '/trade', '/account#payments'])
  await steps.getByRole('link').first().click()
  await newcomer.getByRole('textbox', { name: 'Username' }).fill(freshName())
  await newcomer.keyboard.press('Enter')
  await newcomer.getByRole('button', { name: 'Confirm' }).click()
  await expect(newcomer).toHaveURL(`${product.url}/`)
  await expect(publishCard(newcomer).getByText('1 of 3 done')).toBeVisible()
  await expect(steps.first()).toContainText('Done')
  await expect(steps.getByRole('link')).toHaveCount(2)

  // One whose only position is closed, and who is paid: nothing is left to do.
  const trader = await people.join()
  await rank(trader, 1)
  const page = await openAs(trader, '/account')
  await onboard(page)
  await expect(page.getByText("You're all set!")).toBeVisible()
  await page.goto(product.url)
  await expect(publishCard(page).getByText('3 of 3 done')).toBeVisible()
  await expect(publishCard(page).getByRole('link')).toHaveCount(0)

  // With a position in the list there is no first run.
  await publish(trader, 'AAPL', 187.52)
  await page.reload()
  await expect(page.getByRole('row', { name: /AAPL/ })).toBeVisible()
  await expect(publishCard(page)).toHaveCount(0)
})

test('New Position is outlined while the username is missing, and filled once it is there', async ({
  people,
  openAs,
}) => {
  const [nameless, named] = [await people.join({ username: null }), await people.join()]
  const background = (page: Page) =>
    page
      .getByRole('button', { name: 'New Position' })
      .evaluate((button) => getComputedStyle(button).backgroundColor)
  const page = await openAs(nameless, '/')
  await expect(publishCard(page)).toBeVisible()
  const outlined = await background(page)
  const other = await openAs(named, '/')
  await expect(publishCard(other)).toBeVisible()
  expect(outlined).toBe(await page.evaluate(() => getComputedStyle(document.body).backgroundColor))
  expect(await background(other)).not.toBe(outlined)
})

test('a closed market says from when on a position can go out before anything is typed, and keeps what is typed', async ({
  people,
  openAs,
  setTime,
}) => {
  // A Saturday; Playwright's browsers count by UTC.
  await setTime(new Date('2026-11-21T15:00:00.000Z'))
  const page = await openAs(await people.join(), '/trade')
  const alert = page.getByRole('alert').filter({ hasText: 'Market Closed' })
  await expect(alert).toContainText(
    /It opens Mon,? 2:30 PM \(14:30 UTC\)\. What you write is kept in this tab until then\./,
  )
  await page.getByRole('textbox', { name: 'Open notes' }).fill(NOTES)
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Open notes' })).toHaveValue(NOTES)
})

test.describe('in New York', () => {
  test.use({ timezoneId: 'America/New_York' })
  test('the form of a close says on the day of the opening from when on it can be sent, before notes are typed', async ({
    people,
    publish,
    openAs,
  }) => {
    const trader = await people.join()
    await publish(trader, 'AAPL', 187.52)
    const page = await openAs(trader, '/')
    const dialog = await startClosing(page, 'AAPL')
    await expect(dialog.getByText('You cannot close this position on the same day')).toBeVisible()
    await expect(dialog.getByText('You can close it from 7:00 PM (00:00 UTC).')).toBeVisible()
    await expect(dialog.getByText('Notes that you write now are kept until then.')).toBeVisible()
  })
})

test('Open Position cannot be pressed again while the next screen is on its way', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  await checkPrice(page, 'MSFT')
  await page.getByRole('combobox', { name: 'Position length' }).selectOption({ label: '1-3 weeks' })
  await page.getByRole('textbox', { name: 'Open notes' }).fill(NOTES)
  await page.getByRole('checkbox').check()
  // Every look that the button has from the answer on, until it is gone.
  await page.evaluate(() => {
    const looks: (string | null)[] = []
    Reflect.set(window, 'looks', looks)
    const button = document.querySelector('button[type=submit]')
    const note = () => looks.push(button?.isConnected ? button.getAttribute('aria-busy') : 'gone')
    new MutationObserver(note).observe(document.body, { attributes: true, childList: true, subtree: true })
  })
  await page.getByRole('button', { name: 'Open Position' }).click()
  await expect(page.getByRole('row', { name: /MSFT/ })).toBeVisible()
  const looks = await page.evaluate(() => Reflect.get(window, 'looks') as (string | null)[])
  const busy = looks.indexOf('true')
  expect(busy).toBeGreaterThanOrEqual(0)
  expect(looks.slice(busy)).not.toContain(null)
})
