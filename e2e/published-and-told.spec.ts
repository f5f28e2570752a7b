import { codeIn, expect, type Mail, test } from './fixtures.ts'
import { expectToast } from './toasts.ts'

function linkIn(mail: Mail): string {
  return /https?:\/\/\S+\/login#\S+/.exec(mail.text)?.[0] ?? ''
}

test('a newcomer gets from nothing to a closed position, and followers are mailed both times', async ({
  openAs,
  people,
  follow,
  product,
  mailbox,
  market,
  setTime,
}) => {
  const trader = `maria-${process.pid % 10_000}`
  const email = `${trader}@people.example`

  // A new trader signs in with the code.
  const page = await openAs(null, '/')
  await page.getByRole('link', { name: 'Get started' }).click()
  await page.getByRole('textbox', { name: /e-mail/i }).fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: /code/i }).fill(codeIn(await mailbox.latest(email)))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')

  // The same person, in another browser, by the link: the page shows whose it is and waits for a click.
  const elsewhere = await openAs(null, '/login')
  await elsewhere.getByRole('textbox', { name: /e-mail/i }).fill(email)
  const before = (await mailbox.all(email)).length
  await fetch(`${product.url}/auth/v1/otp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, create_user: true }),
  })
  await expect.poll(async () => (await mailbox.all(email)).length).toBe(before + 1)
  const link = linkIn(await mailbox.latest(email))
  await elsewhere.goto('about:blank')
  await elsewhere.goto(link)
  await expect(elsewhere.getByText(email)).toBeVisible()
  await elsewhere.getByRole('button', { name: 'Sign in' }).click()
  await expect(elsewhere.getByRole('heading', { name: 'Positions' })).toBeVisible()

  // A username, once.
  await page.getByRole('link', { name: 'Account' }).click()
  await page.getByRole('textbox', { name: /username/i }).fill(trader)
  await page.getByRole('button', { name: 'Set Username' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('textbox', { name: /username/i })).toBeDisabled()

  // Somebody follows.
  const fan = await people.join()
  const { id } = await product.database.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  await follow(fan, { id })

  // The position is opened at a price that nobody typed.
  await market.setPrice('AAPL', 187.52)
  await page.getByRole('link', { name: 'Home' }).click()
  await page
    .getByRole('link', { name: 'New Position' })
    .or(page.getByRole('button', { name: 'New Position' }))
    .click()
  await page.getByRole('textbox', { name: 'Ticker' }).fill('aapl')
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(page.getByRole('textbox', { name: 'Price' })).toHaveValue(/187\.52/)
  await page.getByRole('combobox', { name: 'Position length' }).selectOption('1-3 weeks')
  await page.getByRole('textbox', { name: 'Open notes' }).fill('Margins rise for the third quarter in a row.')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Open Position' }).click()
  await expectToast(page, 'A position for AAPL has been opened!')
  await expect(page.getByRole('row', { name: /AAPL.*Me.*\$187\.52/ })).toBeVisible()

  const opened = await mailbox.latest(fan.email, `@${trader} opened AAPL at $187.52`)
  for (const part of ['AAPL', '$187.52', '1-3 weeks', 'Margins rise for the third quarter in a row.']) {
    expect(opened.text).toContain(part)
  }

  // The follower sees it; the next UTC day it is closed with profit.
  const fanPage = await openAs(fan, '/')
  await expect(fanPage.getByRole('row', { name: new RegExp(`AAPL.*${trader}`) })).toBeVisible()
  await setTime(new Date('2026-11-19T16:00:00.000Z'))
  await market.setPrice('AAPL', 201.1)
  await page.reload()
  await page.getByRole('row', { name: /AAPL/ }).getByRole('button').click()
  await page.getByRole('button', { name: 'Close Position' }).click()
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(page.getByRole('textbox', { name: 'Profit' })).toHaveValue('7.24%')
  await page.getByRole('textbox', { name: 'Close notes' }).fill('Target reached before earnings.')
  await page.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Position for AAPL has been closed!')
  await expect(page.getByText('No positions available.')).toBeVisible()

  const closed = await mailbox.latest(fan.email, `@${trader} closed AAPL at $201.10 (+7.24%)`)
  for (const part of ['$187.52', '$201.10', '7.24%', 'Target reached before earnings.']) {
    expect(closed.text).toContain(part)
  }
  await mailbox.untilNothingIsLeft()
  expect(await mailbox.all(fan.email)).toHaveLength(3)
  expect((await mailbox.all(email)).filter((mail) => /opened|closed/.test(mail.subject))).toEqual([])

  // The record: profile, leaderboard; and no longer on the follower's home page.
  await fanPage.goto(`${product.url}/trader/${trader}`)
  await expect(fanPage.getByRole('row', { name: /AAPL.*7\.24/ })).toBeVisible()
  await fanPage.getByRole('link', { name: 'Leaderboard' }).click()
  await expect(fanPage.getByRole('row', { name: new RegExp(`${trader}.*7\\.24`) })).toBeVisible()
  await fanPage.getByRole('link', { name: 'Home' }).click()
  await expect(fanPage.getByText('No positions available.')).toBeVisible()
})
