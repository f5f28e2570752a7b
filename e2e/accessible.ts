import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Judges what stands on the screen as it is, in both themes. @param what is named when something is found */
export async function expectAccessible(page: Page, what = 'the page'): Promise<void> {
  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => {
      document.documentElement.classList.remove('light', 'dark')
      document.documentElement.classList.add(name)
    }, theme)
    expect(await violationsOf(page), `${what}, ${theme}`).toEqual([])
  }
}

/** Judges a document in both themes, at 1280 and 320 px. */
export async function expectReadable(page: Page, what: string): Promise<void> {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 })
    for (const theme of ['dark', 'light'] as const) {
      // The pages that mails lead to follow the system.
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.evaluate((name) => {
        document.documentElement.classList.remove('light', 'dark')
        document.documentElement.classList.add(name)
      }, theme)
      expect(await violationsOf(page), `${what}, ${theme}, ${width} px`).toEqual([])
    }
    const sideways = await page.evaluate(() => {
      scrollTo({ left: 1000, behavior: 'instant' })
      return scrollX
    })
    expect(sideways, `${what} does not scroll sideways at ${width} px`).toBe(0)
  }
}

/** The accessibility violations of the screen, in its colours as they are. @returns a rule and where it is broken */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(endAnimations)
  // A page that has the engine is not sent its megabyte again, which would be read three times for each of some hundred runs.
  const source = (await hasEngine(page)) ? { axeSource: 'undefined' } : {}
  // Without legacy mode the library opens a separate page for each.
  const judge = new AxeBuilder({ page, ...source }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await judge.analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`)
}

/**
 * Colours half-way from one theme to the other belong to neither, and a message that is half-way in is nobody's to read. The end of one
 * may begin another in what inherits it. An animation without an end stays.
 */
function endAnimations(): void {
  const ends = (animation: Animation) =>
    animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY
  const running = () =>
    document.getAnimations().filter((animation) => animation.playState === 'running' && ends(animation))
  for (let left = running(); left.length > 0; left = running()) for (const one of left) one.finish()
}

async function hasEngine(page: Page): Promise<boolean> {
  const frames = await Promise.all(page.frames().map((frame) => frame.evaluate(() => 'axe' in window)))
  return frames.every(Boolean)
}

/** By how many pixels a page is wider than its window. */
export function sideways(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}
