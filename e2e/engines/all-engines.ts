import type { Browser } from '@playwright/test'
import { ENGINE_NAMES, findEngine } from '../../scripts/engines.ts'
import { driveChromium } from './chromium-driver.ts'
import type { Driver } from './engine.ts'
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
