import puppeteer, { type ElementHandle } from 'puppeteer-core'
import type { Driver } from './engine.ts'

/** Firefox, which speaks WebDriver BiDi itself. */
export async function driveFirefox(executablePath: string): Promise<Driver<ElementHandle>> {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, timeout: 0 })
  const page = await browser.newPage()
  page.setDefaultTimeout(0)
  await page.setViewport({ width: 1280, height: 800 })
  return {
    open: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack()),
    resize: (width, height) => page.setViewport({ width, height }),
    evaluate: (body) => page.evaluate(`(() => {${body}})()`),
    async element(body) {
      const handle = (await page.evaluateHandle(`(() => {${body}})()`)).asElement()
      return handle as ElementHandle | null
    },
    click: (element) => element.click(),
    async type(element, text) {
      await element.click({ count: 3 })
      await page.keyboard.press('Backspace')
      await element.type(text)
    },
    close: () => browser.close(),
  }
}
