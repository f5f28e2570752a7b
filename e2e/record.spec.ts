import { expect, test } from './fixtures.ts'

test('a mail about a position leads to the page that proves it, and the profile is counted from the record', async ({
  people,
  follow,
  publish,
  mailbox,
  openAs,
  product,
}) => {
  const [trader, fan] = [await people.join(), await people.join()]
  await follow(fan, trader)
  await publish(trader, 'CRM', 250.5)
  const mail = await mailbox.latest(fan.email, `@${trader.username} opened CRM at $250.50`)
  const [link = ''] = /\S+\/verify#[\w-]+/.exec(mail.text) ?? []
  expect(mail.html).toContain(link)
  const page = await openAs(null, link.slice(product.url.length))
  await expect(page.getByText('Opened CRM at 250.5 USD')).toBeVisible()
  await expect(page.getByText('1 position of this trader was open then.')).toBeVisible()
  await expect(page.getByText('Proven', { exact: true })).toHaveCount(2)

  // Letters that are spoilt on the way.
  await page.goto(`${product.url}/record`)
  await page.goto(`${link.slice(0, -4)}AAAA`)
  await expect(page.getByText('Proven', { exact: true })).toHaveCount(0)
  await expect(page.getByRole('main').getByText('False', { exact: true })).toBeVisible()

  const profile = await openAs(fan, `/trader/${trader.username}`)
  await profile.getByRole('button', { name: 'Check against the record' }).click()
  await expect(
    profile.getByText('By the record: 1 open now, age 0 days. 0 closed. The profile says the same.'),
  ).toBeVisible()
  await profile.goto(product.url)
  await profile.getByRole('button', { name: 'CRM', exact: true }).click()
  const entry = profile.getByRole('dialog').getByRole('link', { name: /^entry \d+$/ })
  await expect(entry).toHaveAttribute('href', /^\/verify#[\w-]+$/)
})
