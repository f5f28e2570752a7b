import { defineConfig } from '@playwright/test'
import { chromiumArguments, findChromium } from './scripts/chromium.ts'

const executablePath = findChromium()

/** Journeys on a desktop and, with the tag @phone, on a phone; the product of each worker is its own. */
export default defineConfig({
  testDir: 'e2e',
  // Journeys wait for the product more than they work.
  workers: 3,
  fullyParallel: true,
  // Limits for what never comes, not measures of speed: a slow machine passes too.
  timeout: 600_000,
  expect: { timeout: 180_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list'], ['json', { outputFile: '.cache/playwright.json' }]],
  outputDir: 'test-results',
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    locale: 'en-US',
    // A worker answers for pages, past what a journey holds or fails of them, and its browser context serves one test alone. Journeys
    // about it have it, and those in whole browsers (e2e/engines.spec.ts).
    serviceWorkers: 'block',
    // A trace of each would cost a third of the processor time of all.
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: [
        ...chromiumArguments(),
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        // Pages of one context are drawn by one process (e2e/kept-contexts.ts).
        '--process-per-site',
      ],
    },
  },
})
