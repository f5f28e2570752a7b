import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { loseAnswer } from './lose-answer.ts'
import { expectToast } from './toasts.ts'
import { fillInClose, fillInPosition, nextMarketDay, startClosing } from './trading-steps.ts'
import { keepFeedAway, NEUTRAL } from './visiting-steps.ts'

const FALLBACK = 'Something went wrong, please try again.'

/** How often the page has sent something to this path. */
function countCalls(page: Page, path: string): () => number {
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname === path) sent += 1
  })
  return () => sent
}

test('a double click opens one position, and closes it once', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const trader = await people.join()
  const page = await openAs(trader, '/trade')
  const opened = countCalls(page, '/v1/positions/open')
  await fillInPosition(page, 'AAPL')
  await page.getByRole('button', { name: 'Open Position' }).dblclick()
  await expect(page.getByRole('row', { name: /^AAPL (\S+ )*Me \$/ })).toBeVisible()
  expect(opened()).toBe(1)

  await setTime(nextMarketDay(product))
  const closed = countCalls(page, '/v1/positions/close')
  const dialog = await startClosing(page, 'AAPL')
  await fillInClose(dialog)
  await dialog.getByRole('button', { name: 'Submit' }).dblclick()
  await expect(dialog).toBeHidden()
  expect(closed()).toBe(1)
})

test('where the answer to an opening or a closing is lost, the next try finds that it is done', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  // The feed would report the result of the closing before the next try.
  await keepFeedAway(page)
  await page.goto(`${product.url}/trade`)
  await fillInPosition(page, 'AAPL')
  await loseAnswer(page, '/v1/positions/open')
  await page.getByRole('button', { name: 'Open Position' }).click()
  const refusal = page.getByRole('alertdialog', { name: 'Unable to open position' })
  await expect(refusal.getByText(FALLBACK)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Open Position' }).click()
  await expectToast(page, 'A position for AAPL has been opened!')
  await expect(page.getByRole('row', { name: /^AAPL (\S+ )*Me \$/ })).toHaveCount(1)

  await setTime(nextMarketDay(product))
  const dialog = await startClosing(page, 'AAPL')
  await fillInClose(dialog)
  await loseAnswer(page, '/v1/positions/close')
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog.getByText(FALLBACK)).toBeVisible()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Position for AAPL has been closed!')
  await expect(dialog).toBeHidden()
})

test('a double click sets a username and sends feedback once', async ({ people, openAs }) => {
  const page = await openAs(await people.join({ username: null }), '/account')
  const named = countCalls(page, '/v1/accounts/username')
  const name = `twice-${Date.now() % 1_000_000}`
  const field = page.getByRole('textbox', { name: 'Username' })
  await field.fill(name)
  await page.getByRole('button', { name: 'Set Username' }).dblclick()
  const dialog = page.getByRole('dialog', { name: 'Username Confirmation' })
  await dialog.getByRole('button', { name: 'Confirm' }).dblclick()
  await expect(dialog).toBeHidden()
  await expect(field).toBeDisabled()
  expect(named()).toBe(1)

  const sent = countCalls(page, '/v1/feedback')
  await page.getByRole('textbox', { name: 'Comments' }).fill('The chart should show the opening price.')
  await page.getByRole('button', { name: 'Submit' }).dblclick()
  await expect(page.getByText('Thanks for submitting your feedback!')).toBeVisible()
  expect(sent()).toBe(1)
})

test('the second click of a double click answers no question that the first one asked, and a marked text closes no window', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join({ username: null }), '/account')
  const named = countCalls(page, '/v1/accounts/username')
  await page.getByRole('textbox', { name: 'Username' }).fill(`read-${Date.now() % 1_000_000}`)
  await page.getByRole('button', { name: 'Set Username' }).click()
  const dialog = page.getByRole('dialog', { name: 'Username Confirmation' })
  const confirm = dialog.getByRole('button', { name: 'Confirm' })
  await confirm.hover()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await expect(confirm).not.toHaveAttribute('aria-busy')
  expect(named()).toBe(0)

  await dialog.getByText('Please confirm').hover()
  await page.mouse.down()
  await page.mouse.move(5, 5)
  await page.mouse.up()
  await expect(dialog).toBeVisible()
  await page.mouse.click(5, 5)
  await expect(dialog).toBeHidden()
  expect(named()).toBe(0)
})
