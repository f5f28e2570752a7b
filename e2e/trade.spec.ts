import type { Page } from '@playwright/test'
import { HOLD_LENGTH_LABELS, type HoldLength } from '../contract/src/hold-length.ts'
import { expect, test } from './fixtures.ts'
import { expectToastFor, stopTime } from './toasts.ts'
import { checkPrice, fillInPosition, NOTES, themeColour } from './trading-steps.ts'

const PREVIEW = '**/v1/positions/preview'
const OPEN = '**/v1/positions/open'
const MARKET_CLOSED =
  'The market is currently closed. Please wait until market open to alert on a new position.'

const priceField = (page: Page) => page.getByRole('textbox', { name: 'Price' })
const openButton = (page: Page) => page.getByRole('button', { name: 'Open Position' })

test('the form has its fields, five lengths, a counter and a checkbox', {
  tag: ['@TRADE-01', '@TRADE-02', '@TRADE-03', '@TRADE-04'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/trade')
  await expect(page.getByRole('textbox', { name: 'Ticker' })).toBeEditable()
  await expect(priceField(page)).not.toBeEditable()
  await expect(page.getByRole('button', { name: 'Check Price' })).toBeDisabled()
  const length = page.getByRole('combobox', { name: 'Position length' })
  await expect(length).toHaveValue('')
  await expect(length.getByRole('option')).toHaveText([
    'Less than a week',
    '1-3 weeks',
    '1-3 months',
    '3-6 months',
    '6+ months',
  ])
  await expect(page.getByText('Everybody sees a position that is open past its plan.')).toBeVisible()
  await length.selectOption('1-3 weeks')
  await expect(page.getByText('Open after Dec 10, it is shown to everybody.')).toBeVisible()
  await length.selectOption('6+ months')
  await expect(page.getByText('Open after Nov 19, 2027, it is shown to everybody.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Open notes' }).fill(' '.repeat(10))
  await expect(page.getByText('0/500 (min. 10)')).toBeVisible()
  await page.getByRole('textbox', { name: 'Open notes' }).fill(' twelve chars ')
  await expect(page.getByText('12/500 (min. 10)')).toBeVisible()
  await expect(
    page.getByRole('checkbox', { name: 'I understand that I cannot close this position on the same day' }),
  ).not.toBeChecked()
  await expect(openButton(page)).toBeDisabled()
  await expect(page.getByText('Market Closed')).toBeHidden()
  await expect(page.getByText('Username required')).toBeHidden()
})

test('without a username an alert leads to one, and neither button can be pressed', {
  tag: ['@TRADE-08', '@TRADE-10', '@TRADE-20'],
}, async ({ people, openAs, setTime }) => {
  await setTime(new Date('2026-11-21T15:00:00.000Z'))
  const page = await openAs(await people.join({ username: null }), '/trade')
  const alerts = page.getByRole('alert').filter({ hasText: /\S/ })
  await expect(alerts).toHaveText([/^Username required/, /^Market Closed/])
  await page.getByRole('textbox', { name: 'Ticker' }).fill('AAPL')
  await expect(page.getByRole('button', { name: 'Check Price' })).toBeDisabled()
  await page.getByRole('combobox', { name: 'Position length' }).selectOption({ label: '1-3 weeks' })
  await page.getByRole('textbox', { name: 'Open notes' }).fill(NOTES)
  await page.getByRole('checkbox').check()
  await expect(openButton(page)).toBeDisabled()
  await alerts.getByRole('link').click()
  await expect(page).toHaveURL(/\/account$/)
})

test.describe('far from Greenwich', () => {
  test.use({ timezoneId: 'America/Los_Angeles' })
  test('the market closes before one’s eyes', { tag: ['@TRADE-06', '@TRADE-07', '@TRADE-19'] }, async ({
    people,
    market,
    openAs,
    setTime,
  }) => {
    await market.setPrice('GOOG', 170.5)
    await setTime(new Date('2026-11-20T20:59:30.000Z'))
    const page = await openAs(await people.join(), '/trade')
    await fillInPosition(page, 'goog')
    await expect(openButton(page)).toBeEnabled()
    await expect(page.getByText('Market Closed')).toBeHidden()
    await setTime(new Date('2026-11-20T21:00:01.000Z'))
    await page.clock.runFor(30_000)
    await expect(page.getByText('Market Closed')).toBeVisible()
    await expect(page.getByText(MARKET_CLOSED)).toBeVisible()
    await expect(openButton(page)).toBeDisabled()
    await expect(page.getByRole('textbox', { name: 'Open notes' })).toHaveValue(NOTES)
  })
})

test('the override that comes with the page opens the market on a Sunday', async ({
  people,
  openAs,
  setTime,
}) => {
  await setTime(new Date('2026-11-22T12:00:00.000Z'))
  const page = await openAs(await people.join(), '/trade')
  await expect(page.getByText('Market Closed')).toBeVisible()
  await page.route('**/trade', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.text()).replace('"marketOverride":null', '"marketOverride":"open"')
    await route.fulfill({ response: answer, body })
  })
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Ticker' })).toBeVisible()
  await expect(page.getByText('Market Closed')).toBeHidden()
})

test('Check Price asks and fills the field', { tag: ['@TRADE-09', '@TRADE-12'] }, async ({
  people,
  market,
  openAs,
}) => {
  await market.setPrice('NFLX', 92.25)
  const page = await openAs(await people.join(), '/trade')
  await expect(page.getByRole('button', { name: 'Check Price' })).toBeDisabled()
  const asked = page.waitForRequest(PREVIEW)
  await checkPrice(page, ' nflx ')
  expect((await asked).postDataJSON()).toEqual({ symbol: 'NFLX' })
  await expect(priceField(page)).toHaveValue('92.25')
  await expect(page.getByText(/^Price held for [12]:\d\d$/)).toBeVisible()
})

test('the reason appears in the field in red, and editing the ticker clears it and a price', {
  tag: ['@TRADE-13', '@TRADE-14', '@ERR-08'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/trade')
  await checkPrice(page, 'ZZZZ')
  await expect(priceField(page)).toHaveValue("We couldn't find a price for ZZZZ.")
  await expect(priceField(page)).toHaveCSS('color', await themeColour(page, 'destructive'))
  await expect(priceField(page)).toHaveAttribute('aria-invalid', 'true')
  await page.getByRole('textbox', { name: 'Ticker' }).pressSequentially('Y')
  await expect(priceField(page)).toHaveValue('')
  await expect(priceField(page)).not.toHaveAttribute('aria-invalid')
  await checkPrice(page, 'AAPL')
  await expect(priceField(page)).toHaveValue(/^\d/)
  await page.getByRole('textbox', { name: 'Ticker' }).pressSequentially('X')
  await expect(priceField(page)).toHaveValue('')
})

test('editing the ticker takes the price away, also one that is still on its way', {
  tag: ['@TRADE-15'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/trade')
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  let asked = 0
  await page.route(PREVIEW, async (route) => {
    asked += 1
    if (asked === 2) await held
    await route.continue()
  })
  await fillInPosition(page, 'AAPL')
  await expect(openButton(page)).toBeEnabled()
  await page.getByRole('textbox', { name: 'Ticker' }).fill('MSFT')
  await expect(priceField(page)).toHaveValue('')
  await expect(openButton(page)).toBeDisabled()

  const late = page.waitForResponse(PREVIEW)
  await page.getByRole('button', { name: 'Check Price' }).click()
  await page.getByRole('textbox', { name: 'Ticker' }).fill('MSF')
  answer()
  await (await late).finished()
  await expect(page.getByRole('button', { name: 'Check Price' })).toBeEnabled()
  await expect(priceField(page)).toHaveValue('')
})

test('opening needs a length, ten characters of notes and the tick', {
  tag: ['@TRADE-16', '@TRADE-17', '@TRADE-18'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/trade')
  await checkPrice(page, 'AAPL')
  await page.getByRole('textbox', { name: 'Open notes' }).fill('ten chars.')
  await page.getByRole('checkbox').check()
  await expect(openButton(page)).toBeDisabled()
  await page.getByRole('combobox', { name: 'Position length' }).selectOption('1-3 weeks')
  await expect(openButton(page)).toBeEnabled()
  await page.getByRole('textbox', { name: 'Open notes' }).fill('nine char')
  await expect(openButton(page)).toBeDisabled()
  await page.getByRole('textbox', { name: 'Open notes' }).fill('ten chars.')
  await page.getByRole('checkbox').uncheck()
  await expect(openButton(page)).toBeDisabled()
})

test('every length is sent by its name, and a refusal loses nothing', {
  tag: ['@TRADE-05', '@TRADE-24', '@ERR-10'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/trade')
  await page.route(OPEN, (route) => route.fulfill({ status: 409, json: { message: 'X' } }))
  await fillInPosition(page, 'aapl')
  const price = await priceField(page).inputValue()
  for (const [positionLength, label] of Object.entries(HOLD_LENGTH_LABELS) as [HoldLength, string][]) {
    await page.getByRole('combobox', { name: 'Position length' }).selectOption({ label })
    const sent = page.waitForRequest(OPEN)
    await openButton(page).click()
    const { key, ...payload } = (await sent).postDataJSON()
    expect(payload).toEqual({ symbol: 'AAPL', openNotes: NOTES, positionLength })
    expect(key).toMatch(/\S/)

    const dialog = page.getByRole('alertdialog', { name: 'Unable to open position' })
    await expect(dialog.getByText('Something went wrong...')).toBeVisible()
    await expect(dialog.getByText('X', { exact: true })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(openButton(page)).toBeFocused()
  }
  await expect(page.getByRole('textbox', { name: 'Ticker' })).toHaveValue('aapl')
  await expect(priceField(page)).toHaveValue(price)
  await expect(page.getByRole('textbox', { name: 'Open notes' })).toHaveValue(NOTES)
  await expect(page.getByRole('checkbox')).toBeChecked()
})

test('a refusal without a message has the fallback', { tag: ['@TRADE-25'] }, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/trade')
  await page.route(OPEN, (route) => route.fulfill({ status: 500, json: {} }))
  await fillInPosition(page, 'aapl')
  await openButton(page).click()
  const dialog = page.getByRole('alertdialog', { name: 'Unable to open position' })
  await expect(dialog.getByText('Something went wrong, please try again.')).toBeVisible()
})

test('501 characters are typed and sent, and the server names what is wrong', { tag: ['@TRADE-31'] }, async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  await fillInPosition(page, 'aapl')
  await page.getByRole('textbox', { name: 'Open notes' }).fill('x'.repeat(501))
  await expect(page.getByText('501/500 (min. 10)')).toHaveCSS('color', await themeColour(page, 'destructive'))
  await openButton(page).click()
  await expect(page.getByText('Notes can be at most 500 characters.')).toBeVisible()
})

test('an opened position is announced for three seconds and leads home', {
  tag: ['@TRADE-22', '@TRADE-23', '@CONST-01'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), '/trade')
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(OPEN, async (route) => {
    await held
    await route.continue()
  })
  await fillInPosition(page, 'uber')
  const width = (await openButton(page).boundingBox())?.width
  await openButton(page).click()
  await expect(openButton(page)).toHaveAttribute('aria-busy', 'true')
  expect((await openButton(page).boundingBox())?.width).toBe(width)
  await stopTime(page, product.now())
  answer()
  await expectToastFor(page, 'A position for UBER has been opened!', 3000)
  await page.clock.resume()
  await expect(page.getByRole('row', { name: /^UBER (\S+ )*Me \$/ })).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
})

test('a position that is opened an instant too late shows the server’s sentence', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  await setTime(new Date('2026-11-20T20:59:00.000Z'))
  const page = await openAs(await people.join(), '/trade')
  // A share that nobody has asked about: a price far from a known one is suspect.
  await fillInPosition(page, 'nke')
  // The market closes while the call is on its way: a page that is notified before disables its button.
  await page.route(OPEN, async (route) => {
    product.setTime(new Date('2026-11-20T21:00:01.000Z'))
    await route.continue()
  })
  await openButton(page).click()
  const dialog = page.getByRole('alertdialog', { name: 'Unable to open position' })
  await expect(dialog.getByText('The market is currently closed.', { exact: true })).toBeVisible()
})
