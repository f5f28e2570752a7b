import { type Browser, test } from '@playwright/test'
import { ENGINE_NAMES, findEngine } from '../../scripts/engines.ts'
import { driveChromium } from './chromium-driver.ts'
import { BrowserEnded, type Driver } from './engine.ts'
import { driveFirefox } from './firefox-driver.ts'
import { driveWebKit } from './webkit-driver.ts'

type Engine = { name: string; start(browser: Browser): Promise<Driver<never>> | null }

const started = <E>(driver: Promise<Driver<E>>) => driver as unknown as Promise<Driver<never>>

/** Every browser that journeys may run in; `start` answers null for one that is not on this machine. */
export const ENGINES: readonly Engine[] = [
  { name: 'Chromium', start: (browser) => started(browser.newPage().then(driveChromium)) },
  ...ENGINE_NAMES.map((name) => ({
    name,
    start: () => {
      const path = findEngine(name)
      if (path === null) return null
      return name === 'Firefox' ? started(driveFirefox(path)) : started(driveWebKit(path))
    },
  })),
]

/**
 * Leads a journey through a browser. One that crashes is replaced, since WebKit does so now and then on its empty page already: the journey
 * begins again from its first step, and at the third crash it has failed. A fault of the page or the product fails it at once.
 *
 * @param journey from its beginning; `round` counts from 1
 */
export async function inEngine(
  start: () => Promise<Driver<never>> | null,
  journey: (driver: Driver<never>, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 1; ; round++) {
    const starting = start()
    test.skip(starting === null, 'not on this machine')
    const driver = await (starting as Promise<Driver<never>>)
    try {
      return await journey(driver, round)
    } catch (error) {
      if (!(error instanceof BrowserEnded) || round === 3) throw error
    } finally {
      await driver.close()
    }
  }
}
