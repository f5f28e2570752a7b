import type { Locator, Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, type Person, test } from './fixtures.ts'

const LEADERBOARD = '**/v1/leaderboard'
const PROVEN = '**/v1/leaderboard/proven'

const CURVE = [100, 102.5, 101.2, 108, 104.4]

type OpenAs = (person: Person | null, path: string) => Promise<Page>

/** The leaderboard, which is answered with this. */
async function openBoard(openAs: OpenAs, person: Person, json: object, by = 'average'): Promise<Page> {
  const page = await openAs(person, '/trade')
  await page.route(by === 'average' ? LEADERBOARD : PROVEN, (route) => route.fulfill({ json }))
  await page.goto(new URL(`/leaderboard?by=${by}`, page.url()).href)
  await expect(page.getByRole('cell')).not.toHaveCount(0)
  return page
}

/** Whether the element on top at the middle of a part is the part itself, or in its row. */
const isUncovered = (part: Locator) =>
  part.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    return element.closest('tr')?.contains(top) ?? false
  })

const FACTS = [
  { username: 'best', averageGain: '12.34', closed: 25, wins: 16, sparkline: CURVE },
  {
    username: 'nearly',
    averageGain: '8.00',
    closed: 400,
    wins: 399,
    sparkline: CURVE.map((level) => 200 - level),
  },
  { username: 'always', averageGain: '7.00', closed: 5, wins: 5 },
  { username: 'fresh', averageGain: '-3.20', closed: 3, wins: null },
  { username: 'older-server', averageGain: '-4.00' },
]

test('under a name stands how many positions are closed and how many won, and beside it the curve is drawn', {
  tag: ['@LEAD-10', '@LEAD-14'],
}, async ({ people, openAs }) => {
  const page = await openBoard(openAs, await people.join(), { leaderboard: FACTS })
  const row = (name: string) => page.getByRole('row', { name })
  await expect(page.getByRole('columnheader')).toHaveText(['Trader', 'Average gain'])
  await expect(row('best').getByText('25 closed · 64 % wins')).toBeVisible()
  await expect(row('nearly').getByText('400 closed · 99 % wins')).toBeVisible()
  await expect(row('always').getByText('5 closed · 100 % wins')).toBeVisible()
  await expect(row('fresh').getByText('3 closed · few positions')).toBeVisible()
  await expect(row('older-server').getByText('closed')).toHaveCount(0)

  const curve = (name: string) => row(name).locator('[data-slot=sparkline]')
  await expect(curve('best')).toHaveAttribute('aria-hidden', 'true')
  expect((await curve('best').boundingBox())?.width).toBe(80)
  await expect(curve('best').locator('path')).toHaveAttribute('d', 'M2 26L21 18.5L40 22.4L59 2L78 12.8')
  await expect(curve('fresh')).toHaveCount(0)
  // A curve that ends above its beginning has another colour than one that ends below.
  const colour = (name: string) =>
    curve(name)
      .locator('path')
      .evaluate((path) => getComputedStyle(path).stroke)
  expect(await colour('best')).not.toBe(await colour('nearly'))
  await expect(page.getByText('You', { exact: true })).toHaveCount(0)
  for (const width of [1280, 768]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(curve('best')).toBeVisible()
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await expectAccessible(page)
  }
})

test('on a phone both lines of a trader are within 52 px, and a curve is seen where it covers no word', {
  tag: ['@phone'],
}, async ({ people, openAs }) => {
  const long = { averageGain: '-12.34', closed: 1032, wins: 660, sparkline: CURVE }
  const leaderboard = [
    ...FACTS,
    { username: 'MMWWMMWWMMWWM15', ...long },
    { username: 'a-name-of-15-ch', ...long, isSelf: true },
  ]
  const own = { username: 'own', ...long, isSelf: true, rank: 8214, ranked: 10_000 }
  const page = await openBoard(openAs, await people.join(), { leaderboard, own })
  for (const width of [390, 360, 320]) {
    await page.setViewportSize({ width, height: 844 })
    for (const { username } of [...FACTS, { username: 'a-name-of-15-ch' }, own]) {
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: username }) })
      const [link, box] = [await row.getByRole('link').boundingBox(), await row.boundingBox()]
      expect(box?.height, `${username} at ${width} px`).toBe(52)
      expect(link?.height).toBeGreaterThanOrEqual(44)
    }
    expect(await isCurveSeen(page, 'best'), `at ${width} px`).toBe(width === 390)
    for (const name of ['MMWWMMWWMMWWM15', 'own']) expect(await isCurveSeen(page, name), name).toBe(false)
    if (width === 390) await expectBesideWords(page, 'best')
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await expectAccessible(page)
  }
})

/** Whether the curve of a trader is what a pointer meets at its middle; a cut off one is not. */
async function isCurveSeen(page: Page, name: string): Promise<boolean> {
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
  await row.getByRole('link').scrollIntoViewIfNeeded()
  return await row.locator('[data-slot=sparkline]').evaluate((curve) => {
    const { height, left, top, width } = curve.getBoundingClientRect()
    return width > 0 && curve.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })
}

/** The curve of a trader begins behind what stands below the name, and ends before the gain. */
async function expectBesideWords(page: Page, name: string): Promise<void> {
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
  const [facts, curve, gain] = await Promise.all(
    [
      row.getByText('closed'),
      row.locator('[data-slot=sparkline]'),
      row.locator('td').last().locator('span').first(),
    ].map((part) => part.boundingBox()),
  )
  if (!facts || !curve || !gain) throw new Error('a part of the row is not there')
  expect(facts.x + facts.width).toBeLessThanOrEqual(curve.x)
  expect(curve.x + curve.width).toBeLessThanOrEqual(gain.x)
}

test('one’s own row is marked as such, is tinted, and stays in sight above and below the window', {
  tag: ['@LEAD-12'],
}, async ({ people, openAs }) => {
  const person = await people.join()
  const leaderboard = Array.from({ length: 100 }, (_, nth) => ({
    username: nth === 49 ? person.username : `trader-${nth}`,
    averageGain: `${200 - nth}.00`,
    closed: 6,
    wins: 3,
    ...(nth === 49 && { isSelf: true }),
  }))
  const page = await openBoard(openAs, person, { leaderboard })
  const own = page.getByRole('row').filter({ hasText: person.username })
  await expect(own.getByText('You', { exact: true })).toBeVisible()
  const background = (row: Locator) => row.evaluate((element) => getComputedStyle(element).backgroundColor)
  expect(await background(own)).not.toBe(await background(page.getByRole('row').nth(1)))
  for (const [name, height, header] of [
    ['desktop', 800, 0],
    ['phone', 844, 56],
  ] as const) {
    await page.setViewportSize({ width: name === 'phone' ? 390 : 1280, height })
    await page.evaluate(() => window.scrollTo(0, 0))
    await expect
      .poll(async () => (await own.boundingBox())?.y)
      .toBeCloseTo(height - (name === 'phone' ? 52 : 56), 0)
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
    await expect.poll(async () => (await own.boundingBox())?.y).toBeCloseTo(header, 0)
    expect(await isUncovered(own.getByRole('link'))).toBe(true)
    // The focused element is never behind it.
    await page.getByRole('link', { name: 'trader-80', exact: true }).focus()
    for (let nth = 79; nth > 60; nth -= 1) {
      await page.keyboard.press('Shift+Tab')
      const link = page.getByRole('link', { name: `trader-${nth}`, exact: true })
      await expect(link).toBeFocused()
      expect(await isUncovered(link), `trader-${nth} on the ${name}`).toBe(true)
    }
  }

  const beyond = leaderboard.map((entry, nth) => ({ ...entry, username: `trader-${nth}`, isSelf: false }))
  const place = { ...leaderboard[49], averageGain: '-1.00', rank: 214, ranked: 1032 }
  await page.route(LEADERBOARD, (route) => route.fulfill({ json: { leaderboard: beyond, own: place } }))
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await expect(page.getByRole('row')).toHaveCount(102)
  await expect(page.getByRole('row').last()).toContainText(
    `${person.username}YouYour rank 214 of 1,032 · 6 closed · 50 % wins`,
  )
  await expect.poll(async () => (await own.boundingBox())?.y).toBeCloseTo(800 - 56, 0)
  await expectAccessible(page)
  await page.unroute(LEADERBOARD)
  const far = { ...place, rank: null, ranked: null }
  await page.route(LEADERBOARD, (route) => route.fulfill({ json: { leaderboard: beyond, own: far } }))
  await page.reload()
  await expect(own.getByText('Your rank is beyond 10,000')).toBeVisible()
  await own.getByRole('link').press('Enter')
  await expect(page.getByRole('heading', { name: person.username })).toBeVisible()
})

test('on the Proven list one’s own row is tinted too, and is the last one where its place is beyond', async ({
  people,
  openAs,
}) => {
  const person = await people.join()
  const figures = {
    low: '0.42',
    middle: '1.31',
    high: '2.20',
    provisional: false,
    closed: 25,
    open: 4,
    overdue: 1,
  }
  const others = Array.from({ length: 40 }, (_, nth) => ({
    username: `trader-${nth}`,
    ...figures,
    averageGain: '4.31',
  }))
  const mine = { username: person.username, ...figures, averageGain: '4.31', isSelf: true }
  const answer = {
    asOf: '2026-11-17',
    formula: 1,
    entries: [
      ...others,
      mine,
      ...others.map(({ username, ...rest }) => ({ ...rest, username: `${username}b` })),
    ],
  }
  const page = await openBoard(openAs, person, answer, 'proven')
  const own = page.getByRole('row').filter({ hasText: person.username })
  await expect(own.getByText('You', { exact: true })).toBeVisible()
  await expect(own).toBeInViewport({ ratio: 1 })
  await expectAccessible(page)

  await page.unroute(PROVEN)
  const place = { ...mine, rank: 214, ranked: 1032 }
  await page.route(PROVEN, (route) => route.fulfill({ json: { ...answer, entries: others, own: place } }))
  await page.reload()
  await expect(page.getByRole('row').last()).toContainText('Your rank 214 of 1,032')
  for (const width of [1280, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    await expect(own).toBeInViewport({ ratio: 1 })
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await expectAccessible(page)
  }
})
