import { type BrowserContext, expect, type Page } from '@playwright/test'

/** Notes the toasts of every page of the context: one may be gone before a slow machine looks. */
export async function noteToasts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const noted: string[] = []
    Reflect.set(window, 'notedToasts', noted)
    const note = () => {
      for (const { textContent } of document.querySelectorAll('[data-slot=toast]')) {
        if (!noted.includes(textContent)) noted.push(textContent)
      }
    }
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/** The toasts that a page has shown since it was loaded. */
export function toastsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => Reflect.get(window, 'notedToasts'))
}

/** The toasts of the page since it was loaded: this among them, whether or not it still stands there. */
export async function expectToast(page: Page, sentence: string): Promise<void> {
  await expect.poll(() => toastsOf(page)).toContain(sentence)
}

/** Stops the clock of a page, so that no toast times out; nothing is drawn either until the clock runs again. */
export function stopTime(page: Page, now: Date): Promise<void> {
  return page.clock.pauseAt(now.getTime() + AHEAD_MS)
}

/** On a page whose time stands still: a toast comes, stays so long, and goes. */
export async function expectToastFor(page: Page, sentence: string, milliseconds: number): Promise<void> {
  const toast = page.locator('[data-slot=toast]', { hasText: sentence })
  const runUntil = (holds: () => Promise<boolean>) =>
    expect
      .poll(
        async () => {
          await page.clock.runFor(STEP_MS)
          return holds()
        },
        { intervals: [STEP_MS] },
      )
      .toBe(true)
  await runUntil(() => toast.isVisible())
  await page.clock.runFor(milliseconds - SLACK_MS)
  await expect(toast).toHaveCSS('opacity', '1')
  await page.clock.runFor(2 * SLACK_MS)
  await expect(toast).not.toHaveCSS('opacity', '1')
  await runUntil(async () => (await toast.count()) === 0)
}

/** Far shorter than the life of a toast. */
const STEP_MS = 20
const SLACK_MS = 200
/** A page's time cannot go back, and it runs until it is stopped. */
const AHEAD_MS = 10_000
