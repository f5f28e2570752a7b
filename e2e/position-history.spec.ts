import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { adjustForSplit } from '../server/src/positions/correct/adjust-positions.ts'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { expectToast } from './toasts.ts'
import { fillInClose, nextMarketDay, startClosing } from './trading-steps.ts'

const OPERATOR = join(import.meta.dirname, '../server/src/operator.ts')
const REASON = 'Nobody traded at that price.'

const entries = (page: Page) => page.getByRole('dialog').getByRole('list').getByRole('listitem')

test('the window of a position has its history: for the follower while it is open, for everybody once it is closed', async ({
  people,
  follow,
  publish,
  market,
  setTime,
  product,
  openAs,
}) => {
  const [trader, fan, stranger] = [await people.join(), await people.join(), await people.join()]
  await follow(fan, trader)
  await publish(trader, 'GE', 200)
  const page = await openAs(fan, '/')
  await page.getByRole('button', { name: 'GE', exact: true }).click()
  await expect(page.getByRole('dialog').getByText('So far')).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('heading', { name: 'History' })).toHaveCount(0)
  await page.keyboard.press('Escape')

  await setTime(nextMarketDay(product))
  const day = product.now().toISOString().slice(0, 10)
  await adjustForSplit(product.database.db, { symbol: 'GE', ratio: '2:1', day }, product.now())
  const { rows } = await product.database.pool.query('select id from positions where trader_id = $1', [
    trader.id,
  ])
  const correction = ['positions:adjust', 'price', rows[0].id, 'open', '95', REASON]
  await promisify(execFile)(process.execPath, [OPERATOR, ...correction], { env: product.environment })
  await page.reload()
  await page.getByRole('button', { name: 'GE', exact: true }).click()
  const open = [
    'Opened at $200.00',
    'Split 2 for 1: open price $100.00 in new shares, $200.00 before',
    new RegExp(`Open price set right by Tradepost: \\$95\\.00, \\$100\\.00 before${REASON}`),
  ]
  await expect(entries(page)).toContainText(open)
  await page.setViewportSize({ width: 320, height: 640 })
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)

  await market.setPrice('GE', 114)
  const own = await openAs(trader, '/')
  const form = await startClosing(own, 'GE')
  await fillInClose(form)
  await form.getByRole('button', { name: 'Submit' }).click()
  await expectToast(own, 'Position for GE has been closed!')
  const theirs = await openAs(stranger, `/trader/${trader.username}`)
  await theirs.getByRole('button', { name: 'The closed position in full' }).click()
  await theirs
    .getByRole('table', { name: 'All closed positions' })
    .getByRole('button', { name: 'GE', exact: true })
    .click()
  await expect(entries(theirs)).toContainText([...open, 'Closed at $114.00'])
  await expectAccessible(theirs)
})
