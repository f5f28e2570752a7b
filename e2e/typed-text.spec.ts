import type { Page } from '@playwright/test'
import { codeIn, expect, test } from './fixtures.ts'
import { FAILURE, newAddress } from './sign-in-steps.ts'
import { expectToast } from './toasts.ts'
import { fillInClose, fillInPosition, NOTES, nextMarketDay, startClosing } from './trading-steps.ts'

const FALLBACK = 'Something went wrong, please try again.'

function partsOf(page: Page) {
  return {
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    field: (name: string) => page.getByRole('textbox', { name, exact: true }),
  }
}

/** Does something while one call is answered with a fault, and again while it does not reach the server at all. */
async function failTwice(page: Page, path: string, act: () => Promise<void>): Promise<void> {
  const call = (url: URL) => url.pathname === path
  for (const answered of [true, false]) {
    await page.route(call, (route) => (answered ? route.fulfill({ status: 500, json: {} }) : route.abort()))
    const sent = page.waitForRequest((request) => call(new URL(request.url())))
    await act()
    await sent
    await page.unroute(call)
  }
}

test('notes that were typed are not lost when sending fails, when there is no network, nor by the next try', async ({
  people,
  publish,
  market,
  setTime,
  product,
  openAs,
}) => {
  const trader = await people.join()
  await publish(trader, 'COST', 100)
  await setTime(nextMarketDay(product))
  await market.setPrice('ORCL', 150)
  const page = await openAs(trader, '/trade')
  const { button, field } = partsOf(page)

  await fillInPosition(page, 'orcl')
  const refusal = page.getByRole('alertdialog', { name: 'Unable to open position' })
  await failTwice(page, '/v1/positions/open', async () => {
    await button('Open Position').click()
    await expect(refusal.getByText(FALLBACK)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(refusal).toHaveCount(0)
    await expect(field('Ticker')).toHaveValue('orcl')
    await expect(field('Price')).toHaveValue('150.00')
    await expect(field('Open notes')).toHaveValue(NOTES)
    await expect(page.getByRole('combobox')).toHaveValue('one_to_three_weeks')
    await expect(page.getByRole('checkbox')).toBeChecked()
  })
  await button('Open Position').click()
  await expect(button('ORCL')).toBeVisible()

  const dialog = await startClosing(page, 'COST')
  await fillInClose(dialog)
  const notes = await field('Close notes').inputValue()
  await failTwice(page, '/v1/positions/close', async () => {
    await button('Submit').click()
    await expect(dialog.getByRole('alert').getByText(FALLBACK)).toBeVisible()
    await expect(button('Submit')).not.toHaveAttribute('aria-busy')
    await expect(field('Close notes')).toHaveValue(notes)
    await expect(field('Profit')).not.toHaveValue('')
  })
  await button('Submit').click()
  await expectToast(page, 'Position for COST has been closed!')
})

test('a name, a comment, an address and a code that were typed are not lost when sending fails', async ({
  people,
  mailbox,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join({ username: null }), '/account')
  const { button, field } = partsOf(page)
  const name = `kept-${process.pid % 10_000}`
  await field('Username').fill(name)
  await button('Set Username').click()
  const dialog = page.getByRole('dialog')
  await failTwice(page, '/v1/accounts/username', async () => {
    await button('Confirm').click()
    await expect(dialog.getByRole('alert').getByText(FALLBACK)).toBeVisible()
    await expect(dialog).toContainText(`you want ${name} as`)
  })
  await page.keyboard.press('Escape')
  await expect(field('Username')).toHaveValue(name)

  await field('Comments').fill(NOTES)
  const feedback = page.getByRole('region', { name: 'Feedback' })
  await failTwice(page, '/v1/feedback', async () => {
    await feedback.getByRole('button').click()
    await expect(feedback.getByRole('alert').getByText(FALLBACK)).toBeVisible()
    await expect(feedback.getByRole('button')).not.toHaveAttribute('aria-busy')
    await expect(field('Comments')).toHaveValue(NOTES)
  })
  await expect(field('Username')).toHaveValue(name)
  await feedback.getByRole('button').click()
  await expect(field('Comments')).toHaveValue('')
  await button('Set Username').click()
  await button('Confirm').click()
  await expect(field('Username')).toBeDisabled()

  const visitor = await openAs(null, '/login')
  const login = partsOf(visitor)
  const email = newAddress()
  await login.field('E-mail').fill(email)
  await failTwice(visitor, '/auth/v1/otp', async () => {
    await login.button('Continue').click()
    await expect(visitor.getByText(FAILURE)).toBeVisible()
    await expect(login.button('Continue')).not.toHaveAttribute('aria-busy')
    await expect(login.field('E-mail')).toHaveValue(email)
  })
  await login.button('Continue').click()
  await expect(login.field('Code')).toBeVisible()
  const code = codeIn(await mailbox.latest(email))
  await login.field('Code').fill(code)
  await failTwice(visitor, '/auth/v1/verify', async () => {
    await login.button('Continue').click()
    await expect(visitor.getByText(FAILURE)).toBeVisible()
    await expect(login.button('Continue')).not.toHaveAttribute('aria-busy')
    await expect(login.field('Code')).toHaveValue(code)
  })
  await login.button('Continue').click()
  await expect(visitor.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect(visitor).toHaveURL(`${product.url}/`)
})
