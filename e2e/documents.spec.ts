import { expectReadable } from './accessible.ts'
import { expect, test } from './fixtures.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('terms, privacy, contact and status can be read by anybody, lead to each other, and load no script', async ({
  openAs,
  product,
}) => {
  const page = await openAs(null, '/')
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
  for (const [name, path] of [
    ['Terms', '/terms'],
    ['Privacy', '/privacy'],
    ['Contact', '/contact'],
    ['Status', '/status'],
  ] as const) {
    await page.getByRole('contentinfo').getByRole('link', { name }).click()
    await expect(page).toHaveURL(product.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
    await expect(page).toHaveTitle(`${name} · Tradepost`)
    const text = name === 'Status' ? 'What this is made of' : 'This is the text that Tradepost brings with it'
    await expect(page.getByText(text)).toBeVisible()
    await expectReadable(page, path)
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  expect(scripts).toEqual([])
  await page.getByRole('contentinfo').getByRole('link', { name: 'API' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API')
})

test('the form that makes an account leads to terms and privacy', async ({ openAs, product }) => {
  const page = await openAs(null, '/login')
  for (const name of ['Terms', 'Privacy']) {
    await page.goto(`${product.url}/login`)
    await expect(page.locator('#early')).toHaveCount(0)
    await page.getByRole('main').getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  }
})

test('mails are stopped by one button, on pages that can be read in both themes and lead back to the trader', async ({
  people,
  follow,
  openAs,
  product,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  const { token } = await product.database.db
    .selectFrom('unsubscribe_tokens')
    .select('token')
    .where('trader_id', '=', trader.id)
    .executeTakeFirstOrThrow()
  const page = await openAs(null, `/mail/unsubscribe/${token}`)
  await expect(page.getByRole('heading')).toHaveText(`Stop mails about @${trader.username}?`)
  await expectReadable(page, 'the question')
  await page.getByRole('button', { name: 'Stop these mails' }).click()
  await expect(page.getByRole('heading')).toHaveText(`Done: no more mails about @${trader.username}`)
  await expect(page.getByRole('link', { name: `View @${trader.username}` })).toHaveAttribute(
    'href',
    `/trader/${trader.username}`,
  )
  await expectReadable(page, 'the answer')
  await page.goto(`${product.url}/mail/unsubscribe/cut`)
  await expectReadable(page, 'a link that leads nowhere')
})
