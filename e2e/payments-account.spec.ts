import { expect, test } from './fixtures.ts'
import { agreeAndContinue, control, onboard, sandboxState } from './paying-steps.ts'
import { accountAnswers, answerWith, PROVIDER, subscriptionTo } from './payments-answers.ts'
import { NEUTRAL } from './visiting-steps.ts'

const ONBOARDING = `${PROVIDER}/setup/1`
const PORTAL = `${PROVIDER}/p/session/1`
const AGREE = 'I have read and agree to the above statements.'

test('payouts lead from no username to all set', {
  tag: ['@PAY-05', '@PAY-06', '@PAY-07', '@PAY-08', '@PAY-09'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join({ username: null }), '/account')
  const payments = page.getByRole('region', { name: 'Payments' })
  await expect(payments.getByRole('link', { name: 'Add username' })).toHaveAttribute('href', '/account')
  await expect(payments.getByRole('button')).toHaveCount(0)

  const answers = { ...accountAnswers({}), 'POST accounts/trader': { json: { url: ONBOARDING } } }
  const calls = await answerWith(page, answers)
  await page.reload()
  const go = payments.getByRole('button', { name: 'Continue on Stripe' })
  await expect(go).toBeDisabled()
  await expect(payments.getByText('Tradepost keeps 10 % of each payment; the rest is yours.')).toBeVisible()
  await payments.getByRole('checkbox', { name: AGREE }).check()
  const pages = page.context().pages()
  await go.click()
  await page.waitForURL(ONBOARDING)
  expect(page.context().pages()).toEqual(pages)
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual(['POST accounts/trader'])

  Object.assign(answers, accountAnswers({ trader: true }))
  await page.goto(`${product.url}/account`)
  await expect(go).toBeEnabled()
  await expect(payments.getByRole('checkbox')).toHaveCount(0)
  await expect(payments.getByText('Stripe needs something from you')).toBeVisible()

  // Back from the provider, which notifies the server a moment later.
  await page.goto(`${product.url}/account?onboarding=return#payments`)
  await expect(go).toBeInViewport()
  await expect(page).toHaveURL(`${product.url}/account#payments`)
  Object.assign(answers, accountAnswers({ trader: true, onboardComplete: true }))
  await page.clock.runFor(2000)
  await expect(payments.getByText("You're all set!")).toBeVisible()
  await expect(payments.getByRole('button', { name: 'Stripe Dashboard' })).toBeVisible()
  await expect(payments.getByText('Sandbox: no real money moves.')).toBeVisible()
  await expect(go).toHaveCount(0)
})

const REJECTED = 'Your payout account at Stripe has been rejected for good. It cannot be opened again here.'
const REJECTED_SUBJECT = 'Stripe will not pay you: your account there was rejected'

test('a trader whose application was rejected reads so on the page and by mail, and is sent to Stripe no more', async ({
  people,
  openAs,
  mailbox,
}) => {
  const trader = await people.join()
  const page = await openAs(trader, '/account')
  await agreeAndContinue(page)
  await page.getByText('Other endings').click()
  await page.getByRole('button', { name: 'Reject the application' }).click()
  await page.waitForURL(/\/account/)
  const payments = page.getByRole('region', { name: 'Payments' })
  await expect(payments.getByText(REJECTED)).toBeVisible()
  await expect(payments.getByText('Nobody can subscribe to you.', { exact: true })).toBeVisible()
  await expect(payments.getByText('After 30 days')).toHaveCount(0)
  await expect(payments.getByRole('button')).toHaveCount(0)
  await expect(payments.getByRole('link')).toHaveCount(0)
  const { text } = await mailbox.latest(trader.email, REJECTED_SUBJECT)
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`${REJECTED} Nobody can subscribe to you. Stripe’s support`)
})

test('an account that is rejected while its trader looks at the page is shown as rejected at once', async ({
  people,
  openAs,
  product,
  mailbox,
}) => {
  const trader = await people.join()
  const page = await openAs(trader, '/account')
  await onboard(page)
  const payments = page.getByRole('region', { name: 'Payments' })
  await expect(payments.getByText("You're all set!")).toBeVisible()
  const { accounts } = await sandboxState(product)
  const account = accounts.find(({ displayName }) => displayName === `@${trader.username}`)
  await control(product, 'reject', { id: account?.id })
  await expect(payments.getByText(REJECTED)).toBeVisible()
  await expect(payments.getByRole('button')).toHaveCount(0)
  await mailbox.latest(trader.email, REJECTED_SUBJECT)
  const mails = await mailbox.all(trader.email)
  expect(mails.filter(({ subject }) => subject === REJECTED_SUBJECT)).toHaveLength(1)
})

test('an expired link is replaced automatically, twice at most', async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const calls = await answerWith(page, {
    ...accountAnswers({ trader: true }),
    'POST accounts/trader': { json: { url: ONBOARDING } },
  })
  for (let automatic = 0; automatic < 2; automatic += 1) {
    await page.goto(`${product.url}/account?onboarding=refresh#payments`)
    await page.waitForURL(ONBOARDING)
  }
  calls.length = 0
  await page.goto(`${product.url}/account?onboarding=refresh#payments`)
  const go = page.getByRole('button', { name: 'Continue on Stripe' })
  await expect(go).toBeVisible()
  await expect(go).not.toHaveAttribute('aria-busy')
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([])
  await go.click()
  await page.waitForURL(ONBOARDING)
})

test('the Stripe Dashboard opens in a new tab that cannot reach back', { tag: ['@PAY-10'] }, async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answers = {
    ...accountAnswers({ trader: true, onboardComplete: true }),
    'POST accounts/stripe/dashboard': { json: { url: `${PROVIDER}/express/1` } },
  }
  await answerWith(page, answers)
  await page.goto(`${product.url}/account`)
  const dashboard = page.getByRole('button', { name: 'Stripe Dashboard' })
  const opened = page.waitForEvent('popup')
  await dashboard.click()
  const tab = await opened
  await tab.waitForURL(`${PROVIDER}/express/1`)
  expect(await tab.evaluate(() => window.opener)).toBeNull()
  await expect(page).toHaveURL(`${product.url}/account`)

  Object.assign(answers, { 'POST accounts/stripe/dashboard': { status: 503, json: { message: 'Later.' } } })
  const another = page.waitForEvent('popup')
  await dashboard.click()
  const closing = await another
  if (!closing.isClosed()) await closing.waitForEvent('close')
  await expect(page.getByText('Later.')).toBeVisible()
  await expect(dashboard).toBeEnabled()
})

test('subscriptions are asked for by a customer only, and managed at the provider', {
  tag: ['@SUB-15', '@PAY-12', '@ACC-14'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answers = {
    ...accountAnswers({}),
    'POST accounts/stripe/customer-session': { json: { url: PORTAL } },
    'POST subscriptions/of-ending/manage': { json: { url: `${PORTAL}/ending` } },
  }
  const calls = await answerWith(page, answers)
  await page.goto(`${product.url}/account`)
  const section = page.getByRole('region', { name: 'Subscriptions' })
  await expect(section.getByText('You are not subscribed to anyone yet.')).toBeVisible()
  await expect(section.getByRole('link', { name: 'Search' })).toHaveAttribute('href', '/search')
  await expect(page.getByRole('button', { name: 'Continue on Stripe' })).toBeVisible()
  expect(calls).not.toContain('GET subscriptions')

  const subscriptions = [
    subscriptionTo('maria'),
    subscriptionTo('ending', { endsAt: '2026-12-01T12:00:00.000Z', mailEnabled: false }),
    subscriptionTo('failing', { status: 'past_due' }),
    subscriptionTo('gone', { status: 'canceled' }),
  ]
  Object.assign(answers, accountAnswers({ customer: true, trader: true }), {
    'GET subscriptions': { json: { subscriptions } },
  })
  await page.reload()
  await expect(section.getByText('Subscribers: 3')).toBeVisible()
  const list = section.getByRole('table', { name: 'Your subscriptions' })
  await expect(list.getByRole('columnheader')).toHaveText([
    'Trader',
    'Status',
    'Renews',
    'Price',
    'E-mail me',
    'Actions',
  ])
  const row = (name: string) => list.getByRole('row').filter({ hasText: name })
  await expect(row('maria').getByRole('cell')).toHaveText([
    'maria',
    'Active',
    'Dec 18, 2026',
    '$10 a month',
    '',
    'Cancel…',
  ])
  await expect(row('ending')).toContainText('Ends on Dec 1, 2026')
  await expect(row('failing')).toContainText('Payment problem')
  await expect(row('gone')).toContainText('Ended')
  await expect(row('gone').getByRole('button')).toHaveCount(0)
  await expect(section.getByRole('link', { name: 'maria' })).toHaveAttribute('href', '/trader/maria')
  await row('ending').getByRole('button', { name: 'Manage' }).click()
  await page.waitForURL(`${PORTAL}/ending`)

  await page.goto(`${product.url}/account?portal=return#subscriptions`)
  await section.getByRole('button', { name: 'Manage billing' }).click()
  await page.waitForURL(PORTAL)
})

test('mails about a trader are turned off and on by keyboard, and a switch that failed goes back', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answers = {
    ...accountAnswers({ customer: true }),
    'GET subscriptions': { json: { subscriptions: [subscriptionTo('maria')] } },
    'POST subscriptions/of-maria/mail': { json: { mailEnabled: false } },
  }
  const calls = await answerWith(page, answers)
  await page.goto(`${product.url}/account`)
  const mails = page.getByRole('switch', { name: 'E-mail me' })
  await expect(mails).toBeChecked()
  await expect(mails).toHaveAccessibleDescription('maria')
  const sent = page.waitForRequest('**/v1/subscriptions/of-maria/mail')
  await mails.press('Space')
  expect((await sent).postDataJSON()).toEqual({ enabled: false })
  await expect(mails).not.toBeChecked()
  await expect(mails).toBeFocused()

  Object.assign(answers, {
    'GET subscriptions': { json: { subscriptions: [subscriptionTo('maria', { mailEnabled: false })] } },
    'POST subscriptions/of-maria/mail': { status: 503, json: { message: 'Later.' } },
  })
  await mails.press('Space')
  await expect(page.getByRole('status').filter({ hasText: 'Later.' })).toBeVisible()
  await expect(mails).not.toBeChecked()
  expect(calls.filter((call) => call.startsWith('POST'))).toHaveLength(2)
})

test('on a phone rows become stacks, and nothing scrolls sideways', { tag: ['@phone'] }, async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  await answerWith(page, {
    ...accountAnswers({ customer: true, trader: true }),
    'GET subscriptions': {
      json: { subscriptions: [subscriptionTo('a-name-of-15-ch', { endsAt: '2026-12-31T12:00:00.000Z' })] },
    },
  })
  await page.goto(`${product.url}/account`)
  const status = page.getByRole('cell', { name: 'Ends on Dec 31, 2026' })
  await expect(status).toHaveCSS('display', 'flex')
  const manage = await page.getByRole('button', { name: 'Manage', exact: true }).boundingBox()
  expect(manage?.height).toBeGreaterThanOrEqual(44)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})
