import type { Page } from '@playwright/test'
import { expect, type Fixtures, type Person, test } from './fixtures.ts'
import { keepFeedAway, NEUTRAL } from './visiting-steps.ts'

const closedAlert = (page: Page) => page.getByText('Market Closed', { exact: true })
const ticker = (page: Page) => page.getByRole('textbox', { name: 'Ticker' })

/** Opens /trade where nothing sends the page the server's time once it is drawn: the clock that moves is the browser's alone. */
async function openTrade({ openAs, product }: Pick<Fixtures, 'openAs' | 'product'>, person: Person) {
  const page = await openAs(person, NEUTRAL)
  await keepFeedAway(page)
  await page.route('**/v1/feed/version', (route) => route.abort())
  await page.goto(`${product.url}/trade`)
  return page
}

/** The last instant before a bell of Friday, 20 November 2026, by the clock of the browser alone. */
async function stopBefore(page: Page, bell: string): Promise<void> {
  await expect(ticker(page)).toBeVisible()
  await page.clock.pauseAt(new Date(Date.parse(bell) - 1))
  // The page reads the clock again when its tab is shown; the jump itself fires no timer.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
}

// In Tokyo it is Saturday on that Friday evening, and Monday on the Sunday evening.
test.use({ timezoneId: 'Asia/Tokyo' })

test('the market opens at 14:30:00.000 UTC and closes at 21:00:00.000, not a millisecond off', {
  tag: ['@MKT-01', '@MKT-02'],
}, async ({ people, openAs, product, setTime }) => {
  await setTime(new Date('2026-11-20T14:20:00.000Z'))
  const person = await people.join()
  const morning = await openTrade({ openAs, product }, person)
  await stopBefore(morning, '2026-11-20T14:30:00.000Z')
  await expect(closedAlert(morning)).toBeVisible()
  await morning.clock.runFor(1)
  await expect(closedAlert(morning)).toBeHidden()

  await setTime(new Date('2026-11-20T20:50:00.000Z'))
  const evening = await openTrade({ openAs, product }, await people.join())
  await stopBefore(evening, '2026-11-20T21:00:00.000Z')
  await expect(closedAlert(evening)).toBeHidden()
  await evening.clock.runFor(1)
  await expect(closedAlert(evening)).toBeVisible()
})

test('the market is open from Monday to Friday and closed on Saturday and Sunday, as UTC counts days', {
  tag: ['@MKT-03'],
}, async ({ people, openAs, setTime }) => {
  await setTime(new Date('2026-11-16T20:30:00.000Z'))
  const page = await openAs(await people.join(), '/trade')
  await expect(ticker(page)).toBeVisible()
  for (const [day, open] of [
    ['16', true],
    ['17', true],
    ['18', true],
    ['19', true],
    ['20', true],
    ['21', false],
    ['22', false],
    ['23', true],
  ] as const) {
    await setTime(new Date(`2026-11-${day}T20:30:00.000Z`))
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect(closedAlert(page), `the ${day}th`).toBeVisible({ visible: !open })
  }
})
