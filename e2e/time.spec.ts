import { fromTheLeft } from './drawn-text.ts'
import { expect, MARKET_OPEN_AT, test } from './fixtures.ts'

const DAY_MS = 86_400_000
const POSITIONS = '**/v1/positions'

function listed(stock: string, daysAgo: number, part: object = {}) {
  return {
    id: stock,
    active: true,
    stock,
    holdLength: 'more_than_six_months',
    openNotes: 'Some notes.',
    openPrice: 100,
    openedAt: new Date(MARKET_OPEN_AT.getTime() - daysAgo * DAY_MS).toISOString(),
    user: 'maria',
    ...part,
  }
}

test('the age of a position grows with the clock, and no live region announces it', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const page = await openAs(await people.join(), '/trade')
  const openedAt = new Date(product.now().getTime() - 57.5 * 60_000).toISOString()
  const positions = [listed('AAPL', 0, { openedAt }), listed('KO', 12)]
  await page.route(POSITIONS, (route) => route.fulfill({ json: { positions } }))
  await page.getByRole('link', { name: 'Home' }).click()
  const time = page.getByRole('row', { name: 'AAPL' }).locator('time')
  await expect(time).toHaveText(/^Nov 18, 2026.*5[789] min ago/)
  await expect(page.getByRole('row', { name: 'KO' }).locator('time')).toHaveText(/Nov 6, 2026.*12 d ago/)
  await setTime(new Date(product.now().getTime() + 3 * 60_000))
  await page.clock.runFor(30_000)
  await expect(time).toHaveText(/Nov 18, 2026.*1 h ago/)
  expect(
    await time.evaluate((element) => element.closest('[aria-live], [role=status], [role=alert]')),
  ).toBeNull()
  const instant = openedAt.slice(11, 16)
  await expect(time).toHaveAttribute(
    'title',
    new RegExp(`^Nov 18, 2026, .*M \\(Nov 18, 2026, ${instant} UTC\\)$`),
  )
  await expect(time).toHaveAttribute('datetime', openedAt)
})

test.describe('in Tokyo', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })

  test('the keyboard’s row shows the exact time here and in UTC in the place of the age, and moves nothing', async ({
    people,
    openAs,
  }) => {
    const page = await openAs(await people.join(), '/trade')
    const openedAt = '2026-11-09T18:04:05.000Z'
    const positions = [listed('AAPL', 0, { openedAt }), listed('KO', 12)]
    await page.route(POSITIONS, (route) => route.fulfill({ json: { positions } }))
    await page.getByRole('link', { name: 'Home' }).click()
    const row = page.getByRole('row', { name: 'AAPL' })
    await expect(row.getByText('8 d ago')).toBeVisible()
    const before = await row.boundingBox()
    await page.getByRole('tab', { name: 'All' }).focus()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'What following brought' })).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'AAPL' })).toBeFocused()
    await expect(row.getByText(/^3:04\s?AM, 18:04 UTC$/)).toBeVisible()
    await expect(row.getByText('8 d ago')).toBeHidden()
    expect(await row.boundingBox()).toEqual(before)
    await expect(row.getByText('Nov 10, 2026')).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(row.getByText('8 d ago')).toBeVisible()
    await expect(row.getByText(/18:04 UTC$/)).toBeHidden()
  })
})

test('each position shows from when on or since when it is public, in the list and in its dialog', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  const positions = [
    listed('KEPT', 7.5, { holdLength: 'less_than_one_week' }),
    listed('ONE', 8.5, { holdLength: 'less_than_one_week' }),
    listed('WEEKS', 24.5, { holdLength: 'one_to_three_weeks' }),
    listed('LONG', 900),
    listed('GRACE', 900, { publicAt: '2026-11-25T15:00:00.000Z' }),
  ]
  await page.route(POSITIONS, (route) => route.fulfill({ json: { positions } }))
  await page.getByRole('link', { name: 'Home' }).click()
  const row = (stock: string) => page.getByRole('row', { name: stock })
  await expect(row('KEPT')).toContainText('public from Nov 19')
  await expect(row('ONE')).toContainText('public since Nov 18')
  await expect(row('WEEKS')).toContainText('public since Nov 16')
  await expect(row('LONG')).toContainText('public since Jun 2, 2025')
  // The stored instant goes before the rule.
  await expect(row('GRACE')).toContainText('public from Nov 25')
  await page.getByRole('button', { name: 'WEEKS' }).click()
  const dialog = page.getByRole('dialog', { name: 'WEEKS' })
  await expect(dialog.getByText('public since Nov 16')).toBeVisible()
  await expect(dialog.getByText('24 d ago')).toBeVisible()
})

test.describe('in Egypt', () => {
  test.use({ locale: 'ar-EG' })

  test('a date that is written from right to left leaves what stands beside it in its place', {
    tag: ['@phone'],
  }, async ({ people, openAs }) => {
    const page = await openAs(await people.join(), '/account')
    const positions = [listed('KO', 12)]
    await page.route(POSITIONS, (route) => route.fulfill({ json: { positions } }))
    await page.goto(new URL('/', page.url()).href)
    const row = page.getByRole('row', { name: 'KO' })
    await expect(row.locator('time')).toContainText('نوفمبر')
    expect(await fromTheLeft(row, ['months', '6+', 'نوفمبر', 'maria'])).toEqual([
      'maria',
      'نوفمبر',
      '6+',
      'months',
    ])
    await page.getByRole('button', { name: 'KO' }).click()
    const clock = page.getByRole('dialog', { name: 'KO' }).getByText('UTC')
    await expect(clock).toBeVisible()
    expect(await fromTheLeft(clock, ['UTC', '15:00', 'م'])).toEqual(['م', '15:00', 'UTC'])
  })
})
