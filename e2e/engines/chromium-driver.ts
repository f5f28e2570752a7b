import type { ElementHandle, Page } from '@playwright/test'
import type { Driver } from './engine.ts'

/** Chromium, by the library that runs every other journey. */
export function driveChromium(page: Page): Driver<ElementHandle> {
  return {
    open: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack()),
    resize: (width, height) => page.setViewportSize({ width, height }),
    evaluate: (body) => page.evaluate(`(() => {${body}})()`),
    element: async (body) => (await page.evaluateHandle(`(() => {${body}})()`)).asElement(),
    click: (element) => element.click(),
    type: (element, text) => element.fill(text),
    close: () => page.close(),
  }
}
