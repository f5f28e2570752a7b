import type { Page } from '@playwright/test'
import type { Product } from '../e2e/product.ts'
import { scoreAllTraders } from '../server/src/proven/score-traders.ts'
import { watchLongTasks } from './in-page.ts'
import { reportLongTasks } from './long-tasks.ts'

const CLOSES = 2000
const DRAWN = 'main [role=slider] path'

/** The time of the main thread for a profile's curve with two thousand closes in a year: its first drawing, another range, a pointer. */
export async function benchCurve(page: Page, product: Product): Promise<void> {
  await fillCloses(product)
  await page.goto(`${product.url}/leaderboard`)
  await page.locator('main table a[href="/trader/maria"]').waitFor()
  await page.evaluate(watchLongTasks)
  console.log(`\n${CLOSES} closed positions in a curve, tasks of the main thread over 50 ms`)
  await reportLongTasks(page, 'drawing the profile', async () => {
    await page.locator('main table a[href="/trader/maria"]').click()
    await page.locator(DRAWN).first().waitFor()
    await page.goBack()
    await page.locator('main table a[href="/trader/maria"]').waitFor()
  })
  await page.locator('main table a[href="/trader/maria"]').click()
  await page.locator(DRAWN).first().waitFor()
  await reportLongTasks(page, 'choosing a range', async () => {
    await page.getByRole('tab', { name: 'All' }).click()
    await page.getByRole('tab', { name: '1Y' }).click()
  })
  const box = await page.locator('main [role=slider]').boundingBox()
  if (!box) throw new Error('The curve is not drawn.')
  await reportLongTasks(page, 'moving along it', async () => {
    for (let step = 0; step < 100; step += 1)
      await page.mouse.move(box.x + 50 + (step * (box.width - 60)) / 100, box.y + 100)
  })
}

/** Two thousand more closes of maria's in the year before now, with closes of their shares and the index, and a night's run. */
async function fillCloses({ database, now }: Product): Promise<void> {
  const { pool } = database
  await pool.query(
    `insert into symbol_days (symbol, day, close, late)
     select symbol, day::date, 100 + 10 * sin(extract(doy from day) / 20) + ascii(symbol) % 7, false
     from generate_series($1::timestamptz - interval '365 days', $1::timestamptz - interval '1 day', '1 day') day,
       unnest('{SPY,B0,B1,B2,B3,B4,B5,B6,B7}'::text[]) symbol
     where extract(isodow from day) < 6 on conflict do nothing`,
    [now()],
  )
  await pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id, close_price,
       close_notes, closed_at, close_preview_id, percentage_gain)
     select user_id, gen_random_uuid(), 'B' || n % 8, 'one_to_three_weeks', 100, 'One of very many.', at - interval '9 days',
       gen_random_uuid(), 100 + n % 11 - 4, 'One of very many.', at, gen_random_uuid(), n % 11 - 4
     from accounts, (select n, $1::timestamptz - n * interval '4 hours' as at from generate_series(1, $2::int) n) made
     where username = 'maria'`,
    [now(), CLOSES],
  )
  // Rows from before the last night's run are new to it.
  await pool.query('delete from day_runs')
  await scoreAllTraders({ db: database.db, indexSymbol: 'SPY' }, now())
}
