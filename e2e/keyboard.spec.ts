import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { CARDS, onboard } from './paying-steps.ts'
import { expectToast } from './toasts.ts'
import { NOTES, nextMarketDay } from './trading-steps.ts'

/** More than any screen has places for the focus. */
const MANY_TABS = 60

/** The focus is visible on the screen: a ring or an outline, inside the viewport and not covered by anything. */
async function expectFocusSeen(target: Locator): Promise<void> {
  await expect(target).toBeFocused()
  await expect(target).toBeInViewport()
  const seen = await target.evaluate((element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    const { left, top, width, height } = element.getBoundingClientRect()
    const onTop = document.elementFromPoint(left + width / 2, top + height / 2)
    return {
      focusVisible: element.matches(':focus-visible'),
      marked:
        (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) ||
        /\b0px 0px 0px [1-9]\d*px/.test(boxShadow),
      onTop: onTop !== null && (element.contains(onTop) || onTop.contains(element)),
    }
  })
  expect(seen).toEqual({ focusVisible: true, marked: true, onTop: true })
}

/** Tab, once: the focus must come to exactly this. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  // A control that is still being loaded is no place for the focus yet.
  await expect(target).toBeEnabled()
  await page.keyboard.press('Tab')
  await expectFocusSeen(target)
}

/** Presses Tab until the target has the focus; at each stop the focus must be on an element. */
async function tabOnTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled()
  for (let pressed = 0; pressed < MANY_TABS; pressed += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) break
  }
  await expectFocusSeen(target)
}

test('a keyboard alone publishes a position and closes one, and the focus is never lost', async ({
  people,
  publish,
  market,
  openAs,
  product,
  setTime,
}) => {
  const trader = await people.join()
  await publish(trader, 'AVGO', 100)
  await setTime(nextMarketDay(product))
  await market.setPrice('AVGO', 112.34)
  await market.setPrice('AMGN', 300.5)
  const page = await openAs(trader, '/')
  const { keyboard } = page
  const main = page.getByRole('main')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await expect(button('AVGO')).toBeVisible()

  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
  await keyboard.press('Enter')
  await expect(main).toBeFocused()
  await tabTo(page, button('New Position'))
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'New position' })).toBeVisible()
  await expect(main).toBeFocused()

  await tabTo(page, page.getByRole('textbox', { name: 'Ticker' }))
  await keyboard.type('amgn')
  await keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Price' })).toHaveValue('300.50')
  await expectFocusSeen(page.getByRole('textbox', { name: 'Ticker' }))
  await tabTo(page, page.getByRole('textbox', { name: 'Price' }))
  await tabTo(page, button('Check Price'))
  const length = page.getByRole('combobox', { name: 'Position length' })
  await tabTo(page, length)
  await keyboard.press('ArrowDown')
  await keyboard.press('ArrowDown')
  await expect(length).toHaveValue('one_to_three_weeks')
  await tabTo(page, page.getByRole('textbox', { name: 'Open notes' }))
  await keyboard.type(NOTES)
  await tabTo(page, page.getByRole('checkbox'))
  await keyboard.press('Space')
  await expect(page.getByRole('checkbox')).toBeChecked()
  await tabTo(page, button('Open Position'))
  await keyboard.press('Enter')
  await expectToast(page, 'A position for AMGN has been opened!')
  await expect(button('AMGN')).toBeVisible()
  await expect(main).toBeFocused()

  await tabTo(page, button('New Position'))
  await tabTo(page, page.getByRole('tab', { name: 'All' }))
  await keyboard.press('ArrowRight')
  await expectFocusSeen(page.getByRole('tab', { name: 'Personal' }))
  await tabTo(page, button('AMGN'))
  await keyboard.press('Shift+Tab')
  await expectFocusSeen(page.getByRole('tab', { name: 'Personal' }))
  await tabOnTo(page, button('AVGO'))
  await keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expectFocusSeen(button('Close Position'))
  await keyboard.press('Escape')
  await expectFocusSeen(button('AVGO'))
  await keyboard.press('Enter')
  await expectFocusSeen(button('Close Position'))
  await keyboard.press('Enter')
  await expectFocusSeen(button('Check Price'))
  await keyboard.press('Enter')
  await expect(dialog.getByRole('textbox', { name: 'Profit' })).toHaveValue('12.34%')
  await expectFocusSeen(button('Check Price'))
  await tabTo(page, dialog.getByRole('textbox', { name: 'Profit' }))
  await tabTo(page, dialog.getByRole('textbox', { name: 'Close notes' }))
  await keyboard.type('Target reached before earnings.')
  await tabTo(page, button('Back'))
  await keyboard.press('Enter')
  await expectFocusSeen(button('Close Position'))
  await keyboard.press('Enter')
  await expectFocusSeen(button('Check Price'))
  await keyboard.press('Enter')
  await expect(dialog.getByRole('textbox', { name: 'Profit' })).toHaveValue('12.34%')
  await tabOnTo(page, button('Submit'))
  await keyboard.press('Enter')
  await expectToast(page, 'Position for AVGO has been closed!')
  await expect(dialog).toHaveCount(0)
  await expect(button('AVGO')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeFocused()
  await tabTo(page, button('New Position'))
})

test('a keyboard alone finds a trader, pays and comes back', async ({ people, openAs, product }) => {
  const [trader, reader] = [await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  await own.close()
  const page = await openAs(reader, '/')
  const { keyboard } = page
  const main = page.getByRole('main')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await expect(page.getByText('No positions available.')).toBeVisible()

  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
  await tabTo(page, page.getByRole('link', { name: 'Tradepost' }))
  await tabTo(page, page.getByRole('link', { name: 'Home' }))
  await tabTo(page, page.getByRole('link', { name: 'Search' }))
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Search' })).toBeVisible()
  await expect(main).toBeFocused()
  const field = page.getByRole('searchbox')
  await tabTo(page, field)
  await keyboard.type(trader.username)
  await keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'View Profile' })).toBeVisible()
  await expectFocusSeen(field)
  await tabTo(page, button('Search'))
  await tabTo(page, page.getByRole('link', { name: 'View Profile' }))
  await tabTo(page, button('Subscribe'))
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: `Subscribe to @${trader.username}` })).toBeVisible()
  await expect(main).toBeFocused()
  await tabTo(page, button('Continue on Stripe'))
  await keyboard.press('Enter')

  const card = page.getByRole('textbox', { name: 'Card number' })
  await expect(card).toBeVisible()
  if (!(await card.evaluate((element) => element === document.activeElement))) await tabOnTo(page, card)
  await keyboard.type(CARDS.good)
  await tabOnTo(page, page.getByRole('textbox', { name: 'Expiry' }))
  await keyboard.type('12 / 34')
  await tabOnTo(page, page.getByRole('textbox', { name: 'CVC' }))
  await keyboard.type('123')
  await tabOnTo(page, page.getByRole('checkbox', { name: /^I agree to the terms/ }))
  await keyboard.press('Space')
  await tabOnTo(page, page.getByRole('button', { name: 'Subscribe' }))
  await keyboard.press('Enter')
  await page.waitForURL(/\/payment\/success/)

  await expect(page.getByText('Confirmed.')).toBeVisible()
  await tabOnTo(page, button('Go Home'))
  await tabTo(page, page.getByRole('link', { name: `View @${trader.username}` }))
  await keyboard.press('Shift+Tab')
  await expectFocusSeen(button('Go Home'))
  await keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect(main).toBeFocused()
})
