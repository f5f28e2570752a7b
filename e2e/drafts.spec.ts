import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectToast } from './toasts.ts'
import { fillInPosition, NOTES, startClosing } from './trading-steps.ts'
import { landing, NEUTRAL } from './visiting-steps.ts'

const OPEN = '**/v1/positions/open'
const WORDS = 'The chart should show the opening price.'

const ticker = (page: Page) => page.getByRole('textbox', { name: 'Ticker' })
const openNotes = (page: Page) => page.getByRole('textbox', { name: 'Open notes' })
const closeNotes = (page: Page) => page.getByRole('textbox', { name: 'Close notes' })
const comments = (page: Page) => page.getByRole('textbox', { name: 'Comments' })
const kept = (page: Page) => page.evaluate(() => sessionStorage.getItem('tradepost-drafts'))

async function look(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
}

test('typed text on /trade survives a look elsewhere and a reload, without the key of its price, until it is sent', async ({
  people,
  openAs,
  market,
  product,
}) => {
  await market.setPrice('AAPL', 180)
  const page = await openAs(await people.join(), '/trade')
  const key = page.waitForResponse('**/v1/positions/preview').then((answer) => answer.json())
  await fillInPosition(page, 'aapl')
  for (const leave of [
    async () => {
      await look(page, 'Home')
      await page.getByRole('button', { name: 'New Position' }).click()
    },
    () => page.reload(),
    async () => {
      await page.goto(`${product.url}/leaderboard`)
      await page.goBack()
    },
  ]) {
    await leave()
    await expect(openNotes(page)).toHaveValue(NOTES)
    await expect(ticker(page)).toHaveValue('aapl')
    await expect(page.getByRole('combobox', { name: 'Position length' })).toHaveValue('one_to_three_weeks')
    await expect(page.getByRole('checkbox')).toBeChecked()
    await expect(page.getByRole('textbox', { name: 'Price' })).toHaveValue('')
  }
  expect(await kept(page)).not.toContain((await key).key)

  // The answer is lost, and the same price opens it once: the next press finds it open.
  let lost = false
  await page.route(OPEN, async (route) => {
    if (lost) return route.fallback()
    lost = true
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Check Price' }).click()
  await page.getByRole('button', { name: 'Open Position' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Back to the form' }).click()
  await expect(openNotes(page)).toHaveValue(NOTES)
  await page.getByRole('button', { name: 'Open Position' }).click()
  await expectToast(page, 'A position for AAPL has been opened!')
  await expect(page).toHaveURL(`${product.url}/`)
  expect(await kept(page)).toBeNull()
  await page.getByRole('button', { name: 'New Position' }).click()
  await expect(ticker(page)).toHaveValue('')
  await expect(openNotes(page)).toHaveValue('')
})

test('a draft is gone although the form was left before the answer came', async ({
  people,
  openAs,
  market,
}) => {
  await market.setPrice('AAPL', 180)
  const page = await openAs(await people.join(), '/trade')
  await fillInPosition(page, 'AAPL')
  const answer = Promise.withResolvers<void>()
  await page.route(OPEN, async (route) => {
    await answer.promise
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Open Position' }).click()
  await look(page, 'Leaderboard')
  answer.resolve()
  await expectToast(page, 'A position for AAPL has been opened!')
  await expect.poll(() => kept(page)).toBeNull()
})

test('notes of a close and feedback survive a look elsewhere and a reload, and feedback is gone once it is sent', async ({
  people,
  openAs,
  publish,
}) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 180)
  await publish(trader, 'MSFT', 400)
  const page = await openAs(trader, '/')
  await startClosing(page, 'AAPL')
  await closeNotes(page).fill('Half a thought')
  await page.goBack()
  await look(page, 'Account')
  await comments(page).fill(WORDS)
  await page.reload()
  await expect(comments(page)).toHaveValue(WORDS)
  await look(page, 'Home')
  await startClosing(page, 'MSFT')
  await expect(closeNotes(page)).toHaveValue('')
  await page.keyboard.press('Escape')
  await startClosing(page, 'AAPL')
  await expect(closeNotes(page)).toHaveValue('Half a thought')
  await page.keyboard.press('Escape')

  await look(page, 'Account')
  await expect(comments(page)).toHaveValue(WORDS)
  await page.getByRole('region', { name: 'Feedback' }).getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Thanks for submitting your feedback!')
  await expect(comments(page)).toHaveValue('')
  await page.reload()
  await expect(comments(page)).toHaveValue('')
  expect(await kept(page)).toContain('Half a thought')
})

test('a person who signs out leaves nothing, in no tab; another person at this tab finds nothing', async ({
  people,
  openAs,
  product,
}) => {
  const [last, next] = [await people.join(), await people.join()]
  const page = await openAs(last, '/trade')
  await openNotes(page).fill(NOTES)
  const other = await page.context().newPage()
  await other.goto(`${product.url}/account`)
  await comments(other).fill(WORDS)
  await expect.poll(() => kept(other)).toContain(WORDS)

  // Drafts of another person, without a sign-out in between.
  const third = await openAs(last, '/trade')
  await openNotes(third).fill(NOTES)
  await third.goto(product.url + NEUTRAL)
  await third.evaluate(
    (session) => localStorage.setItem('tradepost-auth', session),
    JSON.stringify(next.session),
  )
  await third.goto(`${product.url}/trade`)
  await expect(openNotes(third)).toHaveValue('')
  expect(await kept(third)).toBeNull()

  await page.getByRole('link', { name: 'Logout' }).click()
  await expect(landing(page)).toBeVisible()
  expect(await kept(page)).toBeNull()
  await expect.poll(() => kept(other)).toBeNull()
})

test('a session that ends by itself takes no words along: the same person finds them again', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/trade')
  await openNotes(page).fill(NOTES)
  await page.route('**/v1/accounts/profile?*', (route) => route.fulfill({ status: 401, json: {} }))
  await page.getByRole('complementary').getByRole('link', { name: 'My profile' }).click()
  await expect(landing(page)).toBeVisible()
  await page.unrouteAll()
  await page.goto(product.url + NEUTRAL)
  await page.evaluate(
    (session) => localStorage.setItem('tradepost-auth', session),
    JSON.stringify(person.session),
  )
  await page.goto(`${product.url}/trade`)
  await expect(openNotes(page)).toHaveValue(NOTES)
})
