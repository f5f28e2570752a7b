import { expect } from '@playwright/test'
import { fragmentOf, historyOf } from '../record/src/test-history.ts'
import { ENGINES, inEngine } from './engines/all-engines.ts'
import { handsOn } from './engines/engine.ts'
import { test } from './fixtures.ts'
import { serveRecord } from './kept-record.ts'

test.use({ serviceWorkers: 'allow' })

for (const { name, start } of ENGINES)
  test(`in ${name} a mail is checked without a network after one visit, a changed one is refused, and no request carries it`, ({
    browser,
    product,
  }) =>
    inEngine(
      () => start(browser),
      async (driver) => {
        const history = historyOf()
        const record = await serveRecord(product.url, history)
        try {
          const page = handsOn(driver, record.url)
          const says = (source: string) => page.see({ text: { source, flags: '' } })
          await page.open('/verify')
          await page.until("return caches.match('/verify').then(Boolean)", true)
          const receipt = history.receipt(100)
          await page.open(`/verify${fragmentOf(receipt)}`)
          await says('Today’s record still has it, unchanged')
          record.state.away = true
          record.close()
          await driver.open('about:blank')
          await page.open(`/verify${fragmentOf(receipt)}`)
          await says('^This mail is part of Tradepost’s public record since Nov 26, 2026, 15:02 UTC')
          await says('The record of today could not be asked')
          const spoiled = fragmentOf(receipt.with(150, (receipt[150] ?? 0) ^ 1))
          await driver.open('about:blank')
          await page.open(`/verify${spoiled}`)
          await says('its text is not the one that was recorded')
          expect(record.sent.length).toBeGreaterThan(5)
          for (const secret of [fragmentOf(receipt).slice(1, 60), spoiled.slice(-60)])
            expect(record.sent.filter((sent) => sent.includes(secret))).toEqual([])
        } finally {
          record.stop()
        }
      },
    ))
