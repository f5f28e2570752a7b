import { expectAccessible, sideways } from './accessible.ts'
import { expect, type Person, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { nextMarketDay } from './trading-steps.ts'

const RESULTS = '**/v1/following/results'
const NOTES = 'It has done what it was to do.'

test('one press from home shows what following has brought, in a place that was kept for it', async ({
  people,
  publish,
  follow,
  market,
  call,
  setTime,
  openAs,
  product,
}) => {
  const [reader, trader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(trader, 'MDLZ', 50)
  await publish(trader, 'GILD', 150)
  await setTime(nextMarketDay(product))
  const closing: Person = { ...trader, session: await signInByCode(product, trader.email) }
  await market.setPrice('MDLZ', 55)
  const { body } = await call(closing, 'POST', '/v1/positions/preview', { symbol: 'MDLZ' })
  const order = { symbol: 'MDLZ', key: (body as { key: string }).key, closeNotes: NOTES }
  expect((await call(closing, 'POST', '/v1/positions/close', order)).status).toBe(200)

  const again: Person = { ...reader, session: await signInByCode(product, reader.email) }
  const page = await openAs(again, '/')
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(RESULTS, async (route) => {
    await held
    await route.continue()
  })
  // One press, wherever one looks for it.
  await page.getByRole('link', { name: 'What following brought' }).click()
  await expect(page.getByRole('tab', { name: 'Subscription', selected: true })).toBeVisible()
  const list = page.getByRole('table')
  const waiting = await list.boundingBox()
  answer()
  const strip = page.getByRole('region', { name: 'What following brought' })
  await expect(strip).toHaveText(/^Since you followgain \+10\.00%mean of 1 closed/)
  // The index stands beside them where other journeys have had its closes kept.
  await expect(strip.getByRole('listitem').filter({ hasNotText: 'SPY' })).toHaveText([
    'mean of 1 closed',
    '1 won',
    '1 open',
    'you pay $10.00 a month',
  ])
  expect(await list.boundingBox()).toEqual(waiting)
  expect((await strip.boundingBox())?.height).toBe(88)
  await expectAccessible(page)

  await page.setViewportSize({ width: 320, height: 800 })
  expect((await strip.boundingBox())?.height).toBe(132)
  expect(await sideways(page)).toBeLessThanOrEqual(0)

  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('tab', { name: 'Personal' }).click()
  await expect(strip).toBeHidden()
})
