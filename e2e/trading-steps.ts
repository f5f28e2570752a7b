import { expect, type Locator, type Page } from '@playwright/test'
import { isMarketOpen } from '../contract/src/market-hours.ts'
import type { Product } from './product.ts'

/** Actions of a person on the trading screens, in their words. */

export const NOTES = 'Margins rise for the third quarter in a row.'

export async function checkPrice(page: Page, ticker: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Ticker' }).fill(ticker)
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(page.getByRole('textbox', { name: 'Price' })).not.toHaveValue('')
}

/** Fills in everything of the form on /trade; only the button is left to press. */
export async function fillInPosition(page: Page, ticker: string): Promise<void> {
  await checkPrice(page, ticker)
  await page.getByRole('combobox', { name: 'Position length' }).selectOption({ label: '1-3 weeks' })
  await page.getByRole('textbox', { name: 'Open notes' }).fill(NOTES)
  await page.getByRole('checkbox').check()
}

/** Opens close mode of a position from the list. */
export async function startClosing(page: Page, ticker: string): Promise<Locator> {
  await page.getByRole('button', { name: ticker, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Close Position' }).click()
  return dialog
}

/** Fills in everything of close mode; only Submit is left to press. */
export async function fillInClose(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Check Price' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Profit' })).not.toHaveValue('')
  await dialog.getByRole('textbox', { name: 'Close notes' }).fill('Target reached before earnings.')
}

/**
 * Sets the market's quote of a share without having it accepted, as a trade of `at` (now unless given); a price that was checked before
 * is asked about when it is used.
 */
export function setQuote(
  product: Product,
  quote: { symbol: string; price: number; at?: string },
): Promise<void> {
  return setMarketPrices(product, 'quote', quote)
}

/** Until `endGlitch` the market quotes a share at a price outside of its day, then at that of before again. */
export function setGlitch(product: Product, glitch: { symbol: string; price: number }): Promise<void> {
  return setMarketPrices(product, 'glitch', { ...glitch, seconds: GLITCH_SECONDS })
}

export function endGlitch(product: Product): void {
  product.setTime(new Date(product.now().getTime() + GLITCH_SECONDS * 1000))
}

/** Longer than a slow machine takes for what is tried meanwhile. */
const GLITCH_SECONDS = 600

async function setMarketPrices(product: Product, what: string, body: object): Promise<void> {
  const answer = await fetch(`${product.sandboxUrl}/api/v1/sandbox/${what}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.ok).toBe(true)
  product.setTime(new Date(product.now().getTime() + 6000))
}

/** A colour of the theme as the browser computes it, to compare with what an element is painted in. */
export function themeColour(page: Page, name: 'primary' | 'destructive'): Promise<string> {
  return page.evaluate((token) => {
    const probe = document.createElement('i')
    probe.style.setProperty('color', `var(--${token})`)
    document.body.append(probe)
    const colour = getComputedStyle(probe).color
    probe.remove()
    return colour
  }, name)
}

/** The next UTC day at the hour of now, or the one after, until the market is open then. */
export function nextMarketDay(product: Product): Date {
  const day = new Date(product.now())
  do day.setUTCDate(day.getUTCDate() + 1)
  while (!isMarketOpen(day, null))
  return day
}
