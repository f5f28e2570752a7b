import { expect, test } from './fixtures.ts'
import { expectToast, expectToastFor, stopTime } from './toasts.ts'
import { fillInClose, nextMarketDay, startClosing, themeColour } from './trading-steps.ts'

const PREVIEW = '**/v1/positions/preview'
const CLOSE = '**/v1/positions/close'
const SAME_DAY = 'You cannot close this position on the same day'

test('the dialog shows a position in full, and only its owner can close it', {
  tag: ['@DLG-01', '@DLG-02', '@DLG-03', '@DLG-04'],
}, async ({ people, publish, follow, openAs }) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(trader, 'NVDA', 187.5, 'First line.\nSecond <b>line</b>.')

  const own = await openAs(trader, '/')
  await own.getByRole('button', { name: 'NVDA' }).click()
  const dialog = own.getByRole('dialog', { name: 'NVDA' })
  await expect(dialog.getByRole('term')).toHaveText(['Open Price', 'Opened', 'Hold Length', 'Trader'])
  await expect(dialog.getByRole('definition')).toHaveText([
    '$187.50',
    /^Nov 18, 2026(just now|\d+ min ago)/,
    /^1-3 weeks\s*public from Dec 10$/,
    'Me',
  ])
  await expect(dialog.getByRole('region', { name: 'Open notes' })).toContainText('Second <b>line</b>.')
  await expect(dialog.getByRole('textbox')).toHaveCount(0)
  await expect(dialog.getByRole('button', { name: 'Close Position' })).toBeVisible()

  const others = await openAs(reader, '/')
  await others.getByRole('button', { name: 'NVDA' }).click()
  await expect(others.getByRole('definition')).toContainText([trader.username])
  await expect(others.getByRole('button', { name: 'Close Position' })).toHaveCount(0)
  await others.getByRole('dialog').getByRole('link', { name: trader.username }).click()
  await expect(others).toHaveURL(new RegExp(`/trader/${trader.username}$`))
})

test('Close Position stays where it is while the rest of the window arrives, so that no press on it is lost', async ({
  people,
  publish,
  openAs,
  mailbox,
}) => {
  const trader = await people.join()
  await publish(trader, 'NVDA', 187.5)
  // The record has logged it.
  await mailbox.untilNothingIsLeft()
  const page = await openAs(trader, '/')
  await page.getByRole('button', { name: 'NVDA' }).waitFor()
  const { promise: asked, resolve: sendAnswers } = Promise.withResolvers<void>()
  await page.route(/\/history$/, async (route) => {
    await asked
    await route.continue()
  })
  await page.getByRole('button', { name: 'NVDA' }).click()
  const button = page.getByRole('button', { name: 'Close Position' })
  await expect(page.getByText('In the public record:')).toBeVisible()
  // Its entrance moves it too.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
  const before = await button.boundingBox()
  sendAnswers()
  await expect(page.getByRole('link', { name: /^entry [\d,]+$/ })).toBeVisible()
  expect(await button.boundingBox()).toEqual(before)
})

test('close mode shows its fields, refuses the same day, and leads back', {
  tag: ['@DLG-05', '@DLG-06', '@DLG-07', '@DLG-12'],
}, async ({ people, publish, openAs }) => {
  const trader = await people.join()
  await publish(trader, 'NVDA', 187.5)
  const page = await openAs(trader, '/')
  const dialog = await startClosing(page, 'NVDA')
  await expect(dialog.getByRole('term')).toHaveText(['Open Price', 'Opened'])
  await expect(dialog.getByRole('definition')).toHaveText(['$187.50', /^Nov 18, 2026(just now|\d+ min ago)/])
  await expect(dialog.getByText('0/500 (min. 10)')).toBeVisible()
  await expect(dialog.getByText(SAME_DAY)).toBeVisible()
  await fillInClose(dialog)
  await dialog.getByRole('textbox', { name: 'Close notes' }).fill('twelve chars')
  await expect(dialog.getByText('12/500 (min. 10)')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Submit' })).toBeDisabled()

  await dialog.getByRole('button', { name: 'Back' }).click()
  await expect(dialog.getByRole('button', { name: 'Close Position' })).toBeFocused()
  await expect(dialog.getByRole('button', { name: 'Submit' })).toHaveCount(0)
  // The typed text waits, even when the window has been closed meanwhile.
  await page.keyboard.press('Escape')
  await startClosing(page, 'NVDA')
  await expect(dialog.getByRole('textbox', { name: 'Close notes' })).toHaveValue('twelve chars')
})

test('a position is closed the next day and goes from the list', {
  tag: ['@POS-20', '@DLG-08', '@DLG-10', '@DLG-11', '@DLG-14', '@DLG-15'],
}, async ({ people, publish, market, openAs, product, setTime }) => {
  const trader = await people.join()
  await publish(trader, 'AVGO', 100)
  await publish(trader, 'LLY', 1072)
  await setTime(nextMarketDay(product))
  await market.setPrice('AVGO', 112.345)
  const page = await openAs(trader, '/')
  const dialog = await startClosing(page, 'AVGO')
  const submit = dialog.getByRole('button', { name: 'Submit' })
  await expect(dialog.getByText(SAME_DAY)).toBeHidden()
  await dialog.getByRole('textbox', { name: 'Close notes' }).fill('ten chars.')
  await expect(submit).toBeDisabled()
  await dialog.getByRole('button', { name: 'Check Price' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Price' })).toHaveValue('112.35')
  await expect(dialog.getByRole('textbox', { name: 'Profit' })).toHaveValue('12.35%')
  await expect(
    dialog.getByText('Your followers get it by mail at once. It cannot be taken back.'),
  ).toBeVisible()
  await expect(submit).toBeEnabled()
  await dialog.getByRole('textbox', { name: 'Close notes' }).fill('nine char')
  await expect(submit).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Close notes' }).fill('ten chars.')

  await page.route('**/v1/positions', (route) => route.abort())
  await stopTime(page, product.now())
  const sent = page.waitForRequest(CLOSE)
  await submit.click()
  const { key, ...payload } = (await sent).postDataJSON()
  expect(payload).toEqual({ symbol: 'AVGO', closeNotes: 'ten chars.' })
  expect(key).toMatch(/\S/)
  await expectToastFor(page, 'Position for AVGO has been closed!', 3000)
  await page.clock.resume()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'AVGO' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'LLY' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeFocused()
})

test('a loss has a minus, and a Sunday is no obstacle', { tag: ['@DLG-09', '@DLG-21'] }, async ({
  people,
  publish,
  market,
  openAs,
  setTime,
}) => {
  const trader = await people.join()
  await publish(trader, 'META', 100)
  await setTime(new Date('2026-11-22T03:00:00.000Z'))
  await market.setPrice('META', 90)
  const page = await openAs(trader, '/')
  const dialog = await startClosing(page, 'META')
  await fillInClose(dialog)
  const profit = dialog.getByRole('textbox', { name: 'Profit' })
  await expect(profit).toHaveValue('-10.00%')
  await expect(profit).toHaveCSS('color', await themeColour(page, 'destructive'))
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Position for META has been closed!')
  await expect(page.getByText('No positions available.')).toBeVisible()
})

test.describe('a close that fails', () => {
  const cases = [
    [{ status: 409, json: { message: 'X' } }, 'X'],
    [{ status: 500, json: {} }, 'Something went wrong, please try again.'],
  ] as const
  for (const [answer, sentence] of cases) {
    test(`"${sentence}" appears above the buttons, and nothing is lost`, {
      tag: ['@DLG-16', '@DLG-17', '@ERR-09'],
    }, async ({ people, publish, openAs, product, setTime }) => {
      const trader = await people.join()
      await publish(trader, 'COST', 100)
      await setTime(nextMarketDay(product))
      const page = await openAs(trader, '/')
      await page.route(CLOSE, (route) => route.fulfill(answer))
      const dialog = await startClosing(page, 'COST')
      await fillInClose(dialog)
      await dialog.getByRole('button', { name: 'Submit' }).click()
      const reason = dialog.getByText(sentence, { exact: true })
      await expect(reason).toBeVisible()
      const bottom = await reason.evaluate((element) => element.getBoundingClientRect().bottom)
      for (const name of ['Back', 'Submit']) {
        const box = await dialog.getByRole('button', { name }).boundingBox()
        expect(bottom).toBeLessThanOrEqual(box?.y ?? 0)
      }
      await expect(dialog.getByRole('textbox', { name: 'Close notes' })).not.toHaveValue('')
      await expect(dialog.getByRole('textbox', { name: 'Price' })).not.toHaveValue('')
      await expect(dialog.getByRole('button', { name: 'Submit' })).toBeEnabled()
    })
  }
})

test('a failed check shows why in the field, and 501 characters can be typed', {
  tag: ['@DLG-18', '@DLG-19'],
}, async ({ people, publish, openAs }) => {
  const trader = await people.join()
  await publish(trader, 'COST', 100)
  const page = await openAs(trader, '/')
  await page.route(PREVIEW, (route) => route.fulfill({ status: 503, json: { message: 'No prices today.' } }))
  const dialog = await startClosing(page, 'COST')
  await dialog.getByRole('button', { name: 'Check Price' }).click()
  const price = dialog.getByRole('textbox', { name: 'Price' })
  await expect(price).toHaveValue('No prices today.')
  await expect(price).toHaveCSS('color', await themeColour(page, 'destructive'))
  await expect(dialog.getByRole('textbox', { name: 'Profit' })).toHaveValue('')
  await dialog.getByRole('textbox', { name: 'Close notes' }).fill('x'.repeat(501))
  await expect(dialog.getByText('501/500 (min. 10)')).toBeVisible()
})
