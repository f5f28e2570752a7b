import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { expect, test } from './fixtures.ts'

const PROVEN = '**/v1/leaderboard/proven'

const entry = (username: string, low: string, middle: string, high: string, part: object = {}) => ({
  username,
  low,
  middle,
  high,
  provisional: false,
  closed: 25,
  open: 4,
  overdue: 0,
  averageGain: '4.31',
  ...part,
})

/** The server's answer: a night's list, of which the first trader is real. */
async function answerProven(page: Page, username: string): Promise<void> {
  const entries = [
    entry(username, '0.42', '1.31', '2.20', { overdue: 1 }),
    entry('averylongname15', '-0.35', '0.80', '1.95'),
    entry('unlucky', '-3.20', '-2.04', '-0.88'),
    entry('newcomer', '-4.10', '0.60', '18.20', { provisional: true, closed: 0, open: 1, averageGain: null }),
  ]
  await page.route(PROVEN, (route) => route.fulfill({ json: { asOf: '2026-11-17', formula: 1, entries } }))
}

test('beside the average gain the leaderboard has a tab that shows what is proven, in bars and in words', async ({
  people,
  openAs,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/trade')
  await answerProven(page, person.username)
  await page.getByRole('link', { name: 'Leaderboard' }).click()
  await page.getByRole('tab', { name: 'Average gain', selected: true }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Proven', selected: true })).toBeFocused()
  await expect(page).toHaveURL(/\/leaderboard\?by=proven$/)

  await expect(page.getByText('The thin line is zero. As of Nov 17, 2026.')).toBeVisible()
  const rows = page.getByRole('row')
  await expect(rows).toHaveText([
    /Trader/,
    /Clearly better than the index.*above zero/,
    new RegExp(
      `${person.username}.*25 closed · 4 open.*1 overdue.*about \\+1\\.3%.*between \\+0\\.4 and \\+2\\.2`,
    ),
    /Not apart from the index.*crosses zero/,
    /averylongname15.*about \+0\.8%.*between -0\.4 and \+2\.0/,
    /Clearly worse than the index.*below zero/,
    /unlucky.*about -2\.0%.*between -3\.2 and -0\.9/,
    /Not ranked yet.*Too few sessions/,
    /newcomer.*0 closed · 1 open.*about \+0\.6%.*between -4\.1 and \+18\.2/,
  ])
  // Ranks are drawn; one that is not ranked has none.
  const drawn = page.locator('tbody td:first-child span[aria-hidden="true"].text-right')
  const contents = await drawn.evaluateAll((spans) =>
    spans.map((span) => getComputedStyle(span, '::before').content),
  )
  expect(contents).toEqual(['counter(rank)', 'counter(rank)', 'counter(rank)', 'none'])
  // The first one's bar begins right of zero, the second one's left of it.
  const bars = page.locator('tbody td > svg')
  const zero = (await bars.nth(0).locator('line').first().boundingBox())?.x ?? 0
  expect((await bars.nth(0).locator('rect').boundingBox())?.x).toBeGreaterThan(zero)
  expect((await bars.nth(1).locator('rect').boundingBox())?.x).toBeLessThan(zero)
  await expectAccessible(page)

  await page.getByRole('link', { name: person.username, exact: true }).click()
  await expect(page.getByRole('heading', { name: person.username })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('tab', { name: 'Proven', selected: true })).toBeVisible()
})

test('before the first night, and when the list cannot be had, the tab shows that', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  await page.route(PROVEN, (route) => route.fulfill({ json: { asOf: null, formula: 1, entries: [] } }))
  await page.getByRole('link', { name: 'Leaderboard' }).click()
  await page.getByRole('tab', { name: 'Proven' }).click()
  await expect(page.getByText('Nobody is proven yet.')).toBeVisible()
  await expectAccessible(page)

  await page.unroute(PROVEN)
  await page.route(PROVEN, (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await page.unroute(PROVEN)
  await answerProven(page, 'somebody')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('link', { name: 'newcomer' })).toBeVisible()
})

test('on a phone a proven trader has two lines, and nothing scrolls sideways', { tag: ['@phone'] }, async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/search')
  await answerProven(page, person.username)
  await page.goto(`${product.url}/leaderboard?by=proven`)
  const row = page.getByRole('row').filter({ hasText: 'averylongname15' })
  await expect(row.getByText('about +0.8%')).toBeVisible()
  await expect(row.getByText('between -0.4 and +2.0')).toBeVisible()
  for (const tab of ['Average gain', 'Proven']) {
    expect((await page.getByRole('tab', { name: tab }).boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(sideways).toBeLessThanOrEqual(0)
    await expectAccessible(page)
  }
})
