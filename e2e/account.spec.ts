import { expect, test } from './fixtures.ts'
import { NEUTRAL } from './visiting-steps.ts'

const CONFIGURATION = '**/v1/accounts/configuration'
const USERNAME = '**/v1/accounts/username'

/** A name nobody has yet. */
function freshName(): string {
  return `n${process.pid % 10_000}-${Date.now() % 100_000_000}`.slice(0, 15)
}

test('the account page has four sections, and leads somebody new to a username', {
  tag: ['@ACC-01'],
}, async ({ people, openAs }) => {
  const person = await people.join({ username: null })
  const page = await openAs(person, '/account')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText([
    'Profile',
    'Subscriptions',
    'Payments',
    'Feedback',
  ])
  await expect(page.getByText(`Signed in as ${person.email}`)).toBeVisible()
  await expect(page.getByText(/^Subscribers:/)).toHaveCount(0)
  const add = page.getByRole('link', { name: 'Add username' })
  await expect(add).toHaveAttribute('href', '/account')
  await add.click()
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused()
})

test('the account page shows a skeleton, tries once, and tries again when asked to', {
  tag: ['@ACC-02'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  let asked = 0
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(CONFIGURATION, async (route) => {
    asked += 1
    if (asked > 1) return route.continue()
    await held
    return route.fulfill({ status: 500, json: {} })
  })
  await page.goto(`${product.url}/leaderboard`)
  await page.getByRole('link', { name: 'Account' }).click()
  await expect(page.getByRole('status', { name: 'Loading your account' })).toBeVisible()
  answer()
  await expect(page.getByText('Something went wrong, please try again.')).toBeVisible()
  await page.clock.runFor(40_000)
  expect(asked).toBe(1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeDisabled()
})

test('a username is set once, after a second thought', {
  tag: ['@ACC-03', '@ACC-04', '@ACC-05', '@ACC-06', '@ACC-07', '@ACC-13'],
}, async ({ people, openAs }) => {
  const name = freshName()
  const page = await openAs(await people.join({ username: null }), '/account')
  const field = page.getByRole('textbox', { name: 'Username' })
  const set = page.getByRole('button', { name: 'Set Username' })
  const tooLong = page.getByText('Username is too long', { exact: true })
  for (const [length, enabled, long] of [
    [2, false, false],
    [3, true, false],
    [15, true, false],
    [16, false, true],
  ] as const) {
    await field.fill('a'.repeat(length))
    await expect(set).toBeEnabled({ enabled })
    await expect(tooLong).toBeVisible({ visible: long })
  }

  await field.fill('tr ä')
  await expect(page.getByText('Use letters, numbers, hyphens and underscores only.')).toBeVisible()
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  await field.fill('tr')
  await expect(page.getByText('Use letters, numbers, hyphens and underscores only.')).toBeHidden()

  let sent = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/accounts/username')) sent += 1
  })
  await field.fill(name)
  await set.click()
  const dialog = page.getByRole('dialog', { name: 'Username Confirmation' })
  await expect(dialog.getByText(`Please confirm you want ${name} as your username.`)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(set).toBeFocused()
  expect(sent).toBe(0)

  await page.keyboard.press('Enter')
  const request = page.waitForRequest(USERNAME)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  expect((await request).postDataJSON()).toEqual({ username: name })
  await expect(dialog).toBeHidden()
  await expect(field).toBeDisabled()
  await expect(field).toHaveValue(name)
  await expect(set).toHaveCount(0)
  await expect(page.getByText('It cannot be changed.')).toBeFocused()
  await expect(page.getByRole('link', { name: 'Publish your first position' })).toHaveAttribute(
    'href',
    '/trade',
  )
  expect(sent).toBe(1)
  await page.reload()
  await expect(field).toBeDisabled()
  await expect(field).toHaveValue(name)
})

test('a taken name is reported in the dialog, and another can be tried', {
  tag: ['@ACC-08', '@ERR-11'],
}, async ({ people, openAs }) => {
  const { username } = await people.join()
  const page = await openAs(await people.join({ username: null }), '/account')
  await page.getByRole('textbox', { name: 'Username' }).fill(username.toUpperCase())
  await page.getByRole('button', { name: 'Set Username' }).click()
  const dialog = page.getByRole('dialog', { name: 'Username Confirmation' })
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog.getByText('That username is taken.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('textbox', { name: 'Username' })).toHaveValue(username.toUpperCase())
  await expect(page.getByRole('button', { name: 'Set Username' })).toBeEnabled()
})

test('with the name set, the way leads back to the trade page, which needs no reload', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join({ username: null }), '/trade')
  await page.getByRole('alert').getByRole('link').click()
  await page.getByRole('textbox', { name: 'Username' }).fill(freshName())
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('textbox', { name: 'Ticker' })).toBeVisible()
  await expect(page).toHaveURL(/\/trade$/)
  await expect(page.getByText('Username required')).toBeHidden()
})

test('on a phone the fault of a username stands between its field and the button', {
  tag: ['@phone'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join({ username: null }), '/account')
  const field = page.getByRole('textbox', { name: 'Username' })
  await field.fill('tr ä')
  const fault = page.getByText('Use letters, numbers, hyphens and underscores only.')
  await expect(fault).toBeVisible()
  const tops = []
  for (const part of [field, fault, page.getByRole('button', { name: 'Set Username' })])
    tops.push((await part.boundingBox())?.y ?? Number.NaN)
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  expect(new Set(tops).size).toBe(3)
})

test('on a phone the ways to the sections stand above them', { tag: ['@phone'] }, async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/account')
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(page).toHaveURL(/\/account#payments$/)
  await expect(page.getByRole('heading', { name: 'Payments', exact: true })).toBeInViewport()
})

test('a phone signs out from the account page', { tag: ['@phone'] }, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/account')
  await page.getByRole('main').getByRole('link', { name: 'Logout' }).click()
  await expect(page.getByText('Get started').first()).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  await page.reload()
  await expect(page.getByText('Get started').first()).toBeVisible()
})

test('a trader reads how many follow, and that payouts are set up', async ({
  people,
  follow,
  product,
  openAs,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  const at = product.now()
  await product.database.db
    .insertInto('payout_accounts')
    .values({
      user_id: trader.id,
      stripe_account_id: `acct_${trader.username}`,
      transfers_status: 'active',
      complete_at: at,
      synced_at: at,
      created_at: at,
    })
    .execute()
  const page = await openAs(trader, '/account')
  await expect(page.getByText('Subscribers: 1')).toBeVisible()
  await expect(page.getByText("You're all set!")).toBeVisible()
})
