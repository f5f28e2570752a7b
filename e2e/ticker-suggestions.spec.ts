import { expect, test } from './fixtures.ts'

test('a company is found by a part of its name and chosen by keyboard, and its name stays beside the ticker', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  const ticker = page.getByLabel('Ticker')
  await ticker.fill('hath')
  await page.clock.runFor(300)
  const found = page.getByRole('list', { name: 'Suggestions' }).getByRole('button')
  await expect(found).toHaveText(['BRK.BBerkshire Hathaway Class B'])
  await ticker.press('Tab')
  await expect(found).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(ticker).toHaveValue('BRK.B')
  await expect(ticker).toBeFocused()
  await expect(ticker).toHaveAccessibleDescription('Berkshire Hathaway Class B')
  await expect(found).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Price', { exact: true })).not.toHaveValue('')
})

test('while the provider finds nothing or is away, a ticker is typed as ever and nothing moves', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  const ticker = page.getByLabel('Ticker')
  const price = page.getByLabel('Price', { exact: true })
  const place = await price.boundingBox()
  await page.route('**/v1/symbols*', (route) => route.fulfill({ status: 503, json: { message: 'x' } }))
  const asked = page.waitForResponse('**/v1/symbols*')
  await ticker.fill('msft')
  await page.clock.runFor(300)
  await asked
  expect(await price.boundingBox()).toEqual(place)
  await page.unroute('**/v1/symbols*')
  await ticker.fill('app')
  await page.clock.runFor(300)
  await expect(page.getByRole('list', { name: 'Suggestions' })).toBeVisible()
  expect(await price.boundingBox()).toEqual(place)
  await ticker.fill('MSFT')
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(price).not.toHaveValue('')
  await expect(page.getByRole('alert')).toHaveCount(0)
})
