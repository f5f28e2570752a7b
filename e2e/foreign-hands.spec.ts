import type { Page } from '@playwright/test'
import { callsAnswered, codeIn, expect, type Fixtures, type Person, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { askForCode, newAddress } from './sign-in-steps.ts'
import { makeCurve } from './track-steps.ts'
import { NOTES, nextMarketDay } from './trading-steps.ts'
import { helpInForms, translateAlways } from './translated.ts'
import { keepFeedAway, NEUTRAL } from './visiting-steps.ts'

/** Others who change the page while it is open, each as they do it. */
const HANDS = { 'a translator': translateAlways, 'an extension that helps in forms': helpInForms }

/**
 * The faults in a page: those that nobody caught, and those that a boundary caught, which React logs. A request that the network
 * refuses is none.
 */
function watchFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (entry) => {
    if (entry.type() === 'error' && !entry.text().startsWith('Failed to load resource'))
      faults.push(entry.text())
  })
  return faults
}

async function openWith(
  { openAs, product }: Pick<Fixtures, 'openAs' | 'product'>,
  change: (page: Page) => Promise<void>,
  person: Person | null,
  path: string,
) {
  const page = await openAs(person, NEUTRAL)
  const faults = watchFaults(page)
  await change(page)
  await page.goto(product.url + path)
  return { page, faults }
}

/** A row of the list, whatever else the name of its cells is by now. */
const row = (page: Page, ticker: string) => page.getByRole('row').filter({ hasText: ticker })

for (const [hands, change] of Object.entries(HANDS)) {
  test.describe(`while ${hands} changes the page`, () => {
    test('every screen is drawn, forwards and back, and goes on hearing what is published', async ({
      everyScreen,
      people,
      publish,
      follow,
      product,
      openAs,
    }) => {
      const { reader, screens } = everyScreen
      const trader = await people.join()
      await follow(reader, trader)
      const { page, faults } = await openWith({ openAs, product }, change, reader, '/activity')
      for (const [index, { path, loaded }] of screens.entries()) {
        await page.goto(product.url + path)
        await expect(loaded(page).first(), path).toBeVisible()
        await publish(trader, `S${index}`, 10)
      }
      for (const { path } of screens.slice(0, -1).reverse()) {
        await page.goBack()
        await expect(page, path).toHaveURL(product.url + path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      }
      for (const { path, loaded } of screens.slice(1)) {
        await page.goForward()
        await expect(loaded(page).first(), path).toBeVisible()
      }
      await page.getByRole('link', { name: 'Home' }).click()
      for (const index of screens.keys()) await expect(row(page, `S${index}`)).toBeVisible()
      expect(faults).toEqual([])
    })

    test('a position is opened, looked at and closed, with nothing typed lost', async ({
      people,
      publish,
      follow,
      market,
      setTime,
      product,
      openAs,
    }) => {
      const [person, trader] = [await people.join(), await people.join()]
      await follow(person, trader)
      await publish(person, 'MSFT', 100)
      await setTime(nextMarketDay(product))
      for (const one of [person, trader]) one.session = await signInByCode(product, one.email)
      await market.setPrice('MSFT', 110)
      await market.setPrice('ORCL', 200)
      await market.setPrice('NET', 100)
      const { page, faults } = await openWith({ openAs, product }, change, person, '/trade')
      const ticker = page.getByRole('textbox', { name: 'Ticker' })
      const price = page.getByRole('textbox', { name: 'Price' })
      for (const [typed, costs] of [
        ['net', '100.00'],
        ['orcl', '200.00'],
      ] as const) {
        await ticker.fill(typed)
        await page.getByRole('button', { name: 'Check Price' }).click()
        await expect(price).toHaveValue(costs)
      }
      await page.getByRole('combobox').selectOption('one_to_three_weeks')
      const notes = page.getByRole('textbox', { name: 'Open notes' })
      await notes.fill(NOTES)
      await page.getByRole('checkbox').check()
      await publish(trader, 'NET', 100)
      await expect(ticker).toHaveValue('orcl')
      await expect(notes).toHaveValue(NOTES)
      await page.locator('button[type=submit]').click()
      await expect(row(page, 'ORCL')).toBeVisible()
      await expect(row(page, 'NET')).toBeVisible()
      await closeInWindow(page, () => publish(trader, 'KO', 50))
      await expect(row(page, 'KO')).toBeVisible()
      await expect(row(page, 'MSFT')).toHaveCount(0)
      expect(faults).toEqual([])
    })

    test('somebody signs in, searches, looks at a curve, goes to subscribe, and sends feedback', async ({
      people,
      mailbox,
      product,
      openAs,
    }) => {
      const trader = await people.join()
      await makeCurve(product, trader)
      const { page, faults } = await openWith({ openAs, product }, change, null, '/')
      await page.locator('a[href="/login"]').first().click()
      await signIn(page, mailbox)
      await search(page, trader.username)
      await lookAtCurve(page, trader.username)
      await notifyUs(page)
      expect(faults).toEqual([])
    })
  })
}

test('figures and words that change while a translator is at work are the new ones', async ({
  people,
  publish,
  product,
  openAs,
}) => {
  const person = await people.join()
  await publish(person, 'AAPL', 100)
  const marks = { price: '104', state: 'current' }
  const page = await openAs(person, NEUTRAL)
  // It brings the market's own price of the ticker, as often as the server looks it up for anybody.
  await keepFeedAway(page)
  await page.route('**/v1/marks', (route) =>
    route.fulfill({ json: { marks: [{ symbol: 'AAPL', at: product.now().toISOString(), ...marks }] } }),
  )
  await translateAlways(page)
  await page.goto(product.url)
  const shown = row(page, 'AAPL')
  await row(page, 'AAPL').getByRole('button').click()
  const window = page.getByRole('dialog')
  await expect(window).toContainText('now $104.00')
  await expect(shown).toContainText('4.00%')
  marks.price = '98.5'
  await page.clock.runFor(31_000)
  await expect(window).toContainText('now $98.50')
  await expect(window).toContainText('-1.50%')
  await expect(window).not.toContainText('$104.00')
  await expect(shown).toContainText('-1.50%')
  await expect(shown).not.toContainText('4.00%')
  marks.state = 'gone'
  await page.clock.runFor(31_000)
  await expect(window).toContainText('no longer traded')
  await expect(window).toContainText('last $98.50')
})

test('a text that is a ticker, a name, a figure or an address is kept from translators', async ({
  everyScreen,
  product,
  openAs,
}) => {
  const { reader, screens } = everyScreen
  const page = await openAs(reader, '/')
  for (const { path, loaded } of screens) {
    await page.goto(product.url + path)
    await expect(loaded(page).first(), path).toBeVisible()
    await callsAnswered()
    expect(await openToTranslators(page), path).toEqual([])
  }
})

/** Texts of a page that are nothing but a name of a person of the tests, a ticker, money, percent or an address, and may be translated. */
function openToTranslators(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (texts.nextNode()) {
      const { textContent, parentElement } = texts.currentNode
      const text = textContent?.trim() ?? ''
      const isFixed = /^(@?user-\d+-\d+|AAPL|MSFT|\S+@people\.example|\$[\d,.]+|[+-]?[\d.]+%)$/.test(text)
      if (isFixed && !parentElement?.closest('[translate=no], script')) found.push(text)
    }
    return found
  })
}

/** Looks at a position, begins to close it, looks again, and closes it; something is published meanwhile. */
async function closeInWindow(page: Page, meanwhile: () => Promise<void>): Promise<void> {
  await row(page, 'MSFT').getByRole('button').click()
  const window = page.getByRole('dialog')
  await window.getByRole('button', { name: 'Close Position' }).click()
  const notes = window.getByRole('textbox', { name: 'Close notes' })
  await notes.fill('Target reached before earnings.')
  await window.getByRole('button', { name: 'Back' }).click()
  await meanwhile()
  await window.getByRole('button', { name: 'Close Position' }).click()
  await expect(notes).toHaveValue('Target reached before earnings.')
  for (let check = 0; check < 2; check += 1) {
    await window.getByRole('button', { name: 'Check Price' }).click()
    await expect(window.getByRole('textbox', { name: 'Profit' })).toHaveValue('10.00%')
  }
  await window.getByRole('button', { name: 'Submit' }).click()
  await expect(window).toHaveCount(0)
}

async function signIn(page: Page, mailbox: Fixtures['mailbox']): Promise<void> {
  const email = newAddress()
  await askForCode(page, email)
  const code = page.getByRole('textbox', { name: 'Code' })
  const right = codeIn(await mailbox.latest(email))
  await code.fill(right === '111111' ? '222222' : '111111')
  await page.keyboard.press('Enter')
  await expect(page.getByText("It looks like that didn't work.")).toBeVisible()
  await code.fill(right)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
}

async function search(page: Page, username: string): Promise<void> {
  await page.getByRole('link', { name: 'Search' }).click()
  const field = page.locator('main input').first()
  for (const name of ['nobody-of-them', username, 'nobody-else', username]) {
    await field.fill(name)
    await page.keyboard.press('Enter')
    const shown =
      name === username ? page.getByRole('link', { name: 'View Profile' }) : page.getByText('seem to exist')
    await expect(shown).toBeVisible()
  }
}

async function lookAtCurve(page: Page, username: string): Promise<void> {
  await page.getByRole('link', { name: 'View Profile' }).click()
  const slider = page.getByRole('slider')
  for (const range of ['3M', 'All', '1Y']) {
    await page.getByRole('tab', { name: range }).click()
    await expect(slider).toBeVisible()
    await slider.focus()
    await page.keyboard.press('PageDown')
    await page.keyboard.press('Home')
  }
  await page.getByRole('button', { name: 'Share' }).click()
  await page.keyboard.press('Escape')
  await page.goto(new URL(`/trader/${username}/subscribe`, page.url()).href)
  await expect(page.getByText('no new subscribers')).toBeVisible()
  await page.goBack()
  await expect(slider).toBeVisible()
}

async function notifyUs(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Account' }).click()
  const comments = page.getByRole('textbox', { name: 'Comments' })
  await comments.fill('too short')
  await comments.fill('The curve should show dividends.')
  const asked = page.waitForResponse('**/v1/feedback')
  await page.getByRole('region', { name: 'Feedback' }).getByRole('button', { name: 'Submit' }).click()
  expect((await asked).status()).toBe(201)
  await expect(comments).toHaveValue('')
}
