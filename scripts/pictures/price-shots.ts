import type { Page } from '@playwright/test'
import type { ActivityAnswer } from '../../contract/src/activity.ts'
import type { ClosedOfTrader, ClosedPositionsAnswer } from '../../contract/src/closed-positions.ts'
import { REFUSALS, type RefusalCode, refusalMessage } from '../../contract/src/errors.ts'
import type { HistoryEntry } from '../../contract/src/position-history.ts'
import type { PricePreview } from '../../contract/src/quotes.ts'
import type { TraderProfile } from '../../contract/src/traders.ts'
import { webPaths } from '../../contract/src/web-paths.ts'
import { LONG, OLD_TRADE, OPENED, priceItems, WAITING, waiting } from './price-samples.ts'
import type { Shot } from './shots.ts'

/** A key as `preview` answers one, in pictures of prices that are not fresh, or were set right. */
const KEY = 'k'.repeat(43)

const previewOf = (price: string, part: Partial<PricePreview> = {}): PricePreview => ({
  price,
  key: KEY,
  symbol: 'MSFT',
  expiresAt: '2026-11-18T15:02:30.000Z',
  expiresInSeconds: 120,
  tradedAt: '2026-11-18T15:00:28.000Z',
  ...part,
})

function refuse(page: Page, call: string, code: RefusalCode, symbol: string, beside: object = {}) {
  const json = { code, message: refusalMessage(code, { symbol }), requestId: 'x', ...beside }
  return page.route(call, (route) => route.fulfill({ status: REFUSALS[code].status, json }))
}

const answerCheck = (page: Page, preview: PricePreview) =>
  page.route('**/v1/positions/preview', (route) => route.fulfill({ json: preview }))

async function check(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Ticker' }).fill('MSFT')
  await page.getByRole('button', { name: 'Check Price' }).click()
  await page.getByRole('textbox', { name: 'Price' }).and(page.locator(':not([value=""])')).waitFor()
}

async function fillInAndOpen(page: Page): Promise<void> {
  await check(page)
  await page.getByRole('combobox', { name: 'Position length' }).selectOption('1-3 weeks')
  await page.getByRole('textbox', { name: 'Open notes' }).fill('Margins rise for the third quarter in a row.')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Open Position' }).click()
}

/** Close mode of the trader's first position, with its price checked. */
async function startClosing(page: Page): Promise<void> {
  await page.getByRole('row').nth(1).getByRole('button').click()
  await page.getByRole('button', { name: 'Close Position' }).click()
  await page.getByRole('button', { name: 'Check Price' }).click()
  await page.getByRole('textbox', { name: 'Profit' }).and(page.locator('[value*="%"]')).waitFor()
}

/** A profile, its list and the history of what is first in it, changed. */
async function firstClosed(
  page: Page,
  part: Partial<ClosedOfTrader>,
  history: HistoryEntry[],
): Promise<void> {
  await page.route('**/v1/accounts/profile?*', async (route) => {
    const profile: TraderProfile = await (await route.fetch()).json()
    const [first, ...others] = profile.latestPositions
    const { percentageGain = first?.percentageGain ?? 0, settled } = part
    const changed = first && { ...first, percentageGain, ...(settled === false && { settled }) }
    await route.fulfill({ json: { ...profile, latestPositions: changed ? [changed, ...others] : [] } })
  })
  await page.route('**/positions/closed*', async (route) => {
    const answer: ClosedPositionsAnswer = await (await route.fetch()).json()
    const positions = answer.positions.map((one, at) => (at === 0 ? { ...one, ...part } : one))
    await route.fulfill({ json: { ...answer, positions } })
  })
  await page.route('**/history', (route) => route.fulfill({ json: { history } }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('heading', { name: 'Recent positions' }).waitFor()
}

async function listOfClosed(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^All \d+ closed positions$/ }).click()
  await page.getByRole('table', { name: 'All closed positions' }).waitFor()
}

async function firstOfClosed(page: Page): Promise<void> {
  await listOfClosed(page)
  await page.getByRole('table', { name: 'All closed positions' }).getByRole('button').first().click()
  await page.getByRole('list').last().waitFor()
}

async function activityOf(page: Page, own: boolean): Promise<void> {
  const json: ActivityAnswer = { items: priceItems(own), next: null, newer: false, seen: null }
  await page.route('**/v1/activity?*', (route) => route.fulfill({ json }))
  await page.route('**/v1/activity', (route) => route.fulfill({ json }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('article').first().waitFor()
}

const trade = (name: string, act: Shot['act']): Shot => ({
  name: `trade-${name}`,
  as: 'trader',
  path: '/trade',
  ...(act && { act }),
})
const close = (name: string, act: (page: Page) => Promise<void>): Shot => ({
  name: `close-${name}`,
  as: 'trader',
  path: '/?tab=personal',
  window: true,
  act,
})
const profile = (name: string, act: (page: Page) => Promise<void>, window?: true): Shot => ({
  name: `trader-${name}`,
  as: 'follower',
  path: '/trader/maria',
  ...(window && { window }),
  act,
})

export const priceShots: readonly Shot[] = [
  trade('old-price', async (page) => {
    await answerCheck(page, previewOf('478.20', { tradedAt: OLD_TRADE, settled: false }))
    await check(page)
  }),
  trade('stale', async (page) => {
    await answerCheck(page, previewOf('478.20', { tradedAt: OLD_TRADE, settled: false }))
    await refuse(page, '**/v1/positions/open', 'price_stale', 'MSFT')
    await fillInAndOpen(page)
    await page.getByRole('alertdialog').waitFor()
  }),
  trade('suspect', async (page) => {
    await refuse(page, '**/v1/positions/preview', 'price_suspect', 'MSFT')
    await check(page)
  }),
  trade('too-low', async (page) => {
    await answerCheck(page, previewOf('0.5'))
    await check(page)
  }),
  trade('moved', async (page) => {
    await answerCheck(page, previewOf('478.20'))
    await refuse(page, '**/v1/positions/open', 'price_moved', 'MSFT', previewOf('479.05'))
    await fillInAndOpen(page)
    await page.getByText('The price has moved.').waitFor()
  }),
  close('unsettled', async (page) => {
    await answerCheck(page, previewOf('392.10', { symbol: 'GOOGL', tradedAt: OLD_TRADE, settled: false }))
    await startClosing(page)
  }),
  close('suspect', async (page) => {
    const last = previewOf('392.10', { symbol: 'GOOGL', settled: false })
    await refuse(page, '**/v1/positions/preview', 'price_suspect', 'GOOGL', last)
    await startClosing(page)
  }),
  close('moved', async (page) => {
    await answerCheck(page, previewOf('392.10', { symbol: 'GOOGL' }))
    await refuse(
      page,
      '**/v1/positions/close',
      'price_moved',
      'GOOGL',
      previewOf('390.75', { symbol: 'GOOGL' }),
    )
    await startClosing(page)
    await page.getByRole('textbox', { name: 'Close notes' }).fill('Target reached before earnings.')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByText('The price has moved.').waitFor()
  }),
  profile('unsettled', (page) => firstClosed(page, waiting, WAITING)),
  profile('closed-unsettled', async (page) => {
    await firstClosed(page, waiting, WAITING)
    await listOfClosed(page)
  }),
  profile(
    'closed-dialog-unsettled',
    async (page) => {
      await firstClosed(page, waiting, WAITING)
      await firstOfClosed(page)
    },
    true,
  ),
  profile(
    'closed-dialog-history',
    async (page) => {
      await firstClosed(page, { ...waiting, settled: undefined }, LONG)
      await firstOfClosed(page)
      await page.getByRole('heading', { name: 'History' }).evaluate((heading) => heading.scrollIntoView())
    },
    true,
  ),
  profile(
    'closed-dialog-struck',
    async (page) => {
      const struck = { struck: true, struckReason: 'Nobody could trade there.' } as const
      await firstClosed(page, { ...waiting, ...struck, settled: undefined }, [
        { ...OPENED, price: 187.52 },
        { kind: 'closed', at: '2026-11-16T17:00:00.000Z', by: 'trader', price: 201.1 },
        { kind: 'struck', at: '2026-11-17T09:00:00.000Z', reason: struck.struckReason },
      ])
      await firstOfClosed(page)
    },
    true,
  ),
  {
    name: 'position-dialog-history',
    as: 'follower',
    path: '/',
    window: true,
    async act(page) {
      await page.route('**/history', (route) => route.fulfill({ json: { history: LONG.slice(0, 3) } }))
      await page.getByRole('row').nth(1).getByRole('button').click()
      await page.getByRole('heading', { name: 'History' }).waitFor()
    },
  },
  {
    name: 'activity-prices',
    as: 'follower',
    path: webPaths.activity,
    act: (page) => activityOf(page, false),
  },
  {
    name: 'activity-prices-own',
    as: 'trader',
    path: webPaths.activity,
    act: (page) => activityOf(page, true),
  },
]
