import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { NEUTRAL } from './visiting-steps.ts'

/** The column on the right of each screen that has one. */
const ASIDES: Record<string, string> = {
  '/leaderboard': 'How traders are ranked',
  '/search': 'Offered traders',
  '/trade': 'Before it goes out',
  '/trader/:': 'Following',
  '/trader/:/subscribe': 'The trader’s record',
}

/** The screens whose column stands beside the content or nowhere: below the content it would move as that grows. */
const BESIDE_ONLY = ['/search', '/trader/:/subscribe']

const nameOf = (path: string) => path.replace(/\/trader\/[\w-]+/, '/trader/:').replace(/\?.*/, '')

async function edges(part: Locator): Promise<[left: number, right: number]> {
  const box = await part.boundingBox()
  if (box === null) throw new Error('not on the screen')
  return [box.x, box.x + box.width]
}

test('every screen has one width, with its second column on the right, and below it or nowhere where there is no room', async ({
  everyScreen,
  product,
  openAs,
}) => {
  const { reader, screens } = everyScreen
  const page = await openAs(reader, NEUTRAL)
  const [seen, widths] = [new Set<string>(), new Set<string>()]
  for (const { path, loaded } of screens) {
    if (path.startsWith('/payment')) continue
    const label = ASIDES[nameOf(path)]
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(product.url + path)
    await expect(loaded(page), path).toBeVisible()
    for (const width of [1440, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const [left, right] = await edges(page.locator('main > :last-child'))
      widths.add(`${width}: ${right - left}`)
      if (label === undefined) continue
      seen.add(nameOf(path))
      const [from, to] = await edges(page.getByRole('complementary', { name: label }))
      expect([to - from, to], path).toEqual([288, right])
    }
    if (label === undefined) continue
    await page.setViewportSize({ width: 1279, height: 900 })
    if (BESIDE_ONLY.includes(nameOf(path))) {
      await expect(page.getByRole('complementary', { name: label })).toBeHidden()
      continue
    }
    expect(await edges(page.getByRole('complementary', { name: label })), path).toEqual(
      await edges(page.locator('main > :last-child')),
    )
  }
  expect([...widths]).toEqual(['1440: 1080', expect.stringMatching(/^1280: /)])
  expect([...seen].sort()).toEqual(Object.keys(ASIDES).sort())
})

test('the sections of the account are one press away, as often as one likes, and take the focus', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/account')
  const aside = page.getByRole('complementary', { name: 'Sections of the account' })
  const payments = page.getByRole('region', { name: 'Payments' })
  for (let time = 1; time <= 2; time += 1) {
    await aside.getByRole('link', { name: 'Payments' }).press('Enter')
    await expect(page).toHaveURL(/\/account#payments$/)
    await expect(payments).toBeFocused()
    await expect(payments).toBeInViewport({ ratio: 1 })
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
  }
  await page.setViewportSize({ width: 1024, height: 800 })
  await expect(aside).toBeHidden()
})

/**
 * Texts that are wider than their place and cut there, or that leave the window. Names of companies are cut on purpose, and so is the first line
 * of notes, which the window of the position has whole.
 */
function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    /** For screen readers alone. */
    const isUnseen = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).clipPath !== 'none' || isUnseen(element.parentElement))
    return [...document.querySelectorAll<HTMLElement>('main *')]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE))
      .filter(
        (element) =>
          element.checkVisibility() && !element.closest('.company-name, option, [data-slot=first-line]'),
      )
      .filter((element) => !isUnseen(element))
      .filter((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        const { left, right, width } = range.getBoundingClientRect()
        const clip = element.closest<HTMLElement>('[class*=truncate], [class*=overflow-hidden]')
        const box = clip?.getBoundingClientRect()
        const isCut = box !== undefined && (right > box.right + 1 || left < box.left - 1)
        return width > 0 && (left < 0 || right > innerWidth || isCut)
      })
      .map((element) => (element.textContent ?? '').trim())
      .filter((text) => text !== '')
  })
}

test('on the narrowest phones every text is there in full', async ({ everyScreen, product, openAs }) => {
  const { reader, screens } = everyScreen
  const page = await openAs(reader, NEUTRAL)
  await page.setViewportSize({ width: 320, height: 640 })
  const cut: Record<string, string[]> = {}
  for (const { path, loaded } of screens) {
    await page.goto(product.url + path)
    await expect(loaded(page), path).toBeVisible()
    const texts = await cutTexts(page)
    if (texts.length > 0) cut[path] = texts
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow, path).toBeLessThanOrEqual(0)
  }
  expect(cut).toEqual({})
})
