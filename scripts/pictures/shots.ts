import type { Locator, Page } from '@playwright/test'
import { EMAIL_PROBLEMS } from '../../contract/src/email-address.ts'
import { webPaths } from '../../contract/src/web-paths.ts'

/** A screen in a state. */
export type Shot = {
  name: string
  as: 'visitor' | 'trader' | 'follower' | 'newcomer'
  /** `{token}` stands for an unsubscribe token, `{followed}` for a trader whom the follower follows, `{item}` for their newest event. */
  path: string
  /** Pictures of the window and not of the whole page: the pictured part lies over it. */
  window?: true
  act?: (page: Page) => Promise<void>
}

const SUCCESS = `${webPaths.paymentSuccess}?trader={followed}`

/** A call of /docs by its name, unfolded. */
async function unfoldedCall(page: Page, name: string): Promise<Locator> {
  const call = page.locator('details.call', { has: page.locator(`[data-try=${name}]`) })
  await call.locator('summary').first().click()
  return call
}

/** Where the address has had its mails of the hour. */
async function askTooOften(page: Page): Promise<void> {
  await page.route('**/auth/v1/otp**', (route) => route.fulfill({ status: 429, json: {} }))
  await page.getByRole('textbox', { name: 'E-mail' }).fill('somebody@people.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'I have a code' }).waitFor()
}

/** The mails to the address come back. */
async function mistype(page: Page): Promise<void> {
  const json = { code: 422, error_code: 'email_address_invalid', msg: EMAIL_PROBLEMS.returned }
  await page.route('**/auth/v1/otp**', (route) => route.fulfill({ status: 422, json }))
  await page.getByRole('textbox', { name: 'E-mail' }).fill('somebody@poeple.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'I have a code' }).waitFor()
}

/** The landing page once the server has renewed it with what was seeded. */
async function boardOfNow(page: Page): Promise<void> {
  while (!(await page.getByRole('heading', { name: 'Right now' }).isVisible())) {
    await page.waitForTimeout(2000)
    await page.reload()
  }
}

/** The list once it shows what its positions are worth now. */
async function pricesOfNow(page: Page): Promise<void> {
  await page.getByText('now', { exact: true }).first().waitFor()
}

async function provenList(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Proven' }).click()
  await page.getByRole('table').waitFor()
}

/** The list as a trader sees it whose place is beyond it. */
async function beyondTheList(page: Page): Promise<void> {
  await page.route('**/v1/leaderboard', async (route) => {
    const { leaderboard } = await (await route.fetch()).json()
    const entries = leaderboard.map((entry: object) => ({ ...entry, isSelf: false }))
    const own = { ...entries[3], username: 'maria', isSelf: true, rank: 214, ranked: 1032 }
    await route.fulfill({ json: { leaderboard: entries, own } })
  })
  await page.reload()
  await page.getByText('Your rank 214').waitFor()
}

/** The profile of a trader whom an operator has suspended. */
async function suspended(page: Page): Promise<void> {
  await page.route('**/v1/accounts/profile?*', async (route) => {
    const profile = await (await route.fetch()).json()
    await route.fulfill({ json: { ...profile, canSubscribe: false, suspended: true } })
  })
  await page.reload()
  await page.getByText('This profile is not available').waitFor()
}

async function everyClosed(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^All \d+ closed positions$/ }).click()
  await page.getByRole('table', { name: 'All closed positions' }).waitFor()
}

/** Answers every product call of a page as a server that is not well. */
async function failCalls(page: Page): Promise<void> {
  const json = { code: 'unavailable', message: 'Something went wrong, please try again.', requestId: 'x' }
  await page.route('**/v1/**', (route) => route.fulfill({ status: 503, json }))
  await page.reload()
  await page.getByRole('button', { name: 'Try again' }).first().waitFor()
}

/** The payment has not reached the server. */
async function withoutPayment(page: Page): Promise<void> {
  const json = { subscribed: false, id: null, status: null }
  await page.route('**/v1/subscriptions/*', (route) => route.fulfill({ json }))
  await page.reload()
  await page.getByText('Confirming your payment…').waitFor()
}

/** The person's subscriptions are answered with something else. */
async function changeSubscriptions(page: Page, change: object): Promise<void> {
  await page.route('**/v1/subscriptions', async (route) => {
    const response = await route.fetch()
    return route.fulfill({ response, json: { ...(await response.json()), ...change } })
  })
  await page.reload()
}

/** Mails about positions are off for all traders. */
async function stopMails(page: Page): Promise<void> {
  await changeSubscriptions(page, { positionMails: false })
  await page.getByText('Switched off for all traders').scrollIntoViewIfNeeded()
}

/** Mails to the person are withheld. */
async function refuseMails(page: Page, mailsRefused: string): Promise<void> {
  await changeSubscriptions(page, { mailsRefused })
  await page.getByRole('note').first().scrollIntoViewIfNeeded()
}

/** The account of a trader whose desk is another. @param desk null for what it is */
async function deskOf(page: Page, desk: object | null, state: string): Promise<void> {
  const trader = { username: 'somebody', trader: true, customer: false }
  await page.route('**/v1/accounts/configuration', (route) => route.fulfill({ json: trader }))
  if (desk) await page.route('**/v1/accounts/desk', (route) => route.fulfill({ json: desk }))
  const payouts = { state, balance: [], coming: [] }
  await page.route('**/v1/accounts/desk/payouts', (route) => route.fulfill({ json: payouts }))
  await page.reload()
  await page.getByText(/^Stripe (cannot|does not)/).waitFor()
}

/** Payments to the trader were returned and disputed. */
async function takeOff(page: Page): Promise<void> {
  const payment = { paidCents: 1250, shareCents: 1125, currency: 'usd' }
  const takenOff = [
    { ...payment, at: '2026-11-24T09:30:00.000Z', why: 'disputed' },
    { ...payment, at: '2026-11-17T15:00:00.000Z', why: 'withdrawn', shareCents: 862 },
    { ...payment, at: '2026-11-02T15:00:00.000Z', why: 'warned' },
    { ...payment, at: '2026-10-12T15:00:00.000Z', why: 'dispute_won', shareCents: 0 },
  ]
  await page.route('**/v1/accounts/desk', async (route) => {
    const response = await route.fetch()
    return route.fulfill({ response, json: { ...(await response.json()), takenOff } })
  })
  await page.reload()
  await page.getByRole('heading', { name: 'Returned and disputed' }).scrollIntoViewIfNeeded()
}

/** The bank of the person has taken back a payment. */
async function disputePayment(page: Page): Promise<void> {
  const payment = { paidCents: 1250, disputedAt: '2026-11-20T15:00:00.000Z' }
  const subscription = {
    ...{
      id: 'd2c9a7b2-6a41-7c11-9d2e-3f5a6b7c8d9e',
      username: 'maria',
      status: 'canceled',
      mailEnabled: true,
    },
    ...{ endsAt: null, currentPeriodEnd: null, startedAt: '2026-11-01T15:00:00.000Z', priceCents: 1250 },
    ...{ currency: 'usd', interval: 'month', trialEndsAt: null, withdrawUntil: null },
    disputes: [
      { ...payment, decided: null },
      { ...payment, decided: 'payer' },
    ],
    returns: [{ why: 'other', cents: 400, monthFrom: null, returnedAt: '2026-11-24T15:00:00.000Z' }],
  }
  await changeSubscriptions(page, { subscriptions: [subscription] })
  await page.getByText('Your bank disputes').scrollIntoViewIfNeeded()
}

/** The person is offered free days. */
async function offerTrial(page: Page): Promise<void> {
  const json = { subscribed: false, id: null, status: null, trialDays: 7 }
  await page.route('**/v1/subscriptions/maria', (route) => route.fulfill({ json }))
  await page.reload()
  await page.getByText('7 days free').waitFor()
}

/** The subscription that was just confirmed began with free days. */
async function confirmTrial(page: Page): Promise<void> {
  const username = new URL(page.url()).searchParams.get('trader') ?? ''
  const check = { subscribed: true, id: 'x', status: 'trialing' }
  await page.route(`**/v1/subscriptions/${username}`, (route) => route.fulfill({ json: check }))
  const subscription = {
    ...{ id: 'd2c9a7b2-6a41-7c11-9d2e-3f5a6b7c8d9e', username, status: 'trialing', mailEnabled: true },
    ...{ endsAt: null, currentPeriodEnd: '2026-11-25T15:00:00.000Z', startedAt: '2026-11-18T15:00:00.000Z' },
    ...{ priceCents: 1250, currency: 'usd', interval: 'month', trialEndsAt: '2026-11-25T15:00:00.000Z' },
  }
  await changeSubscriptions(page, { subscriptions: [subscription] })
  await page.getByText(/^Free until/).waitFor()
}

async function failDesk(page: Page): Promise<void> {
  const json = { code: 'unavailable', message: 'Something went wrong, please try again.', requestId: 'x' }
  await page.route('**/v1/accounts/desk', (route) => route.fulfill({ status: 503, json }))
  await page.reload()
  await page.getByText('Subscriptions').first().waitFor()
  await page.clock.runFor(10_000)
  await page.getByText(/^Not up to date/).waitFor()
}

export const shots: readonly Shot[] = [
  { name: 'landing', as: 'visitor', path: '/', act: (page) => boardOfNow(page) },
  { name: 'landing', as: 'visitor', path: '/' },
  { name: 'public-page', as: 'visitor', path: webPaths.publicPage('maria') },
  { name: 'public-page-none', as: 'visitor', path: webPaths.publicPage('nobody-here') },
  { name: 'login', as: 'visitor', path: '/login' },
  {
    name: 'login-code',
    as: 'visitor',
    path: '/login',
    async act(page) {
      await page.getByRole('textbox', { name: 'E-mail' }).fill('somebody@people.example')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('textbox', { name: 'Code' }).waitFor()
    },
  },
  { name: 'login-limited', as: 'visitor', path: '/login', act: (page) => askTooOften(page) },
  {
    name: 'login-earlier-code',
    as: 'visitor',
    path: '/login',
    async act(page) {
      await askTooOften(page)
      await page.getByRole('link', { name: 'I have a code' }).click()
      await page.getByRole('textbox', { name: 'Code' }).waitFor()
    },
  },
  { name: 'login-mistyped', as: 'visitor', path: '/login', act: (page) => mistype(page) },
  {
    name: 'login-code-mistyped',
    as: 'visitor',
    path: '/login',
    async act(page) {
      await mistype(page)
      await page.getByRole('link', { name: 'I have a code' }).click()
      await page.getByRole('textbox', { name: 'Code' }).waitFor()
    },
  },
  { name: 'docs', as: 'visitor', path: webPaths.apiDocs },
  {
    name: 'docs-call',
    as: 'visitor',
    path: webPaths.apiDocs,
    window: true,
    async act(page) {
      const call = await unfoldedCall(page, 'openPosition')
      await call.evaluate((element) => element.scrollIntoView())
    },
  },
  {
    name: 'docs-tried',
    as: 'follower',
    path: webPaths.apiDocs,
    window: true,
    async act(page) {
      const call = await unfoldedCall(page, 'configuration')
      await call.getByRole('button', { name: 'Try it out' }).click()
      await call.getByRole('button', { name: 'Execute' }).click()
      const answer = call.locator('form')
      await answer.getByText('"username"').first().waitFor()
      await answer.evaluate((element) => element.scrollIntoView())
    },
  },
  { name: 'terms', as: 'visitor', path: webPaths.terms },
  { name: 'privacy', as: 'visitor', path: webPaths.privacy },
  { name: 'status', as: 'visitor', path: webPaths.status },
  { name: 'contact', as: 'visitor', path: webPaths.contact },
  { name: 'record', as: 'visitor', path: webPaths.record },
  { name: 'verify', as: 'visitor', path: webPaths.verify },
  { name: 'positions', as: 'follower', path: '/', act: (page) => pricesOfNow(page) },
  {
    name: 'positions-subscription',
    as: 'follower',
    path: '/?tab=subscription',
    act: (page) => pricesOfNow(page),
  },
  { name: 'positions-empty', as: 'newcomer', path: '/' },
  { name: 'positions-failed', as: 'follower', path: '/', act: (page) => failCalls(page) },
  {
    name: 'position-dialog',
    as: 'follower',
    path: '/',
    window: true,
    async act(page) {
      await pricesOfNow(page)
      await page.getByRole('row').nth(1).getByRole('button').click()
    },
  },
  {
    name: 'close-position',
    as: 'trader',
    window: true,
    path: '/?tab=personal',
    async act(page) {
      await page.getByRole('row').nth(1).getByRole('button').click()
      await page.getByRole('button', { name: 'Close Position' }).click()
      await page.getByRole('button', { name: 'Check Price' }).click()
      await page.getByRole('textbox', { name: 'Profit' }).and(page.locator('[value*="%"]')).waitFor()
    },
  },
  {
    name: 'trade',
    as: 'trader',
    path: '/trade',
    async act(page) {
      await page.getByRole('textbox', { name: 'Ticker' }).fill('MSFT')
      await page.getByRole('button', { name: 'Check Price' }).click()
      await page.locator('input[value*="."]').first().waitFor()
    },
  },
  { name: 'your-positions', as: 'trader', path: '/?tab=personal', act: (page) => pricesOfNow(page) },
  { name: 'activity', as: 'follower', path: webPaths.activity, window: true },
  { name: 'activity-own', as: 'trader', path: webPaths.activity, window: true },
  {
    name: 'activity-item',
    as: 'follower',
    path: `${webPaths.activity}?item={item}`,
    window: true,
    async act(page) {
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'activity-not-there', as: 'newcomer', path: webPaths.activityItem('maria.1') },
  { name: 'activity-empty', as: 'newcomer', path: webPaths.activity },
  { name: 'activity-failed', as: 'follower', path: webPaths.activity, act: (page) => failCalls(page) },
  { name: 'leaderboard', as: 'follower', path: '/leaderboard' },
  { name: 'leaderboard-own', as: 'trader', path: '/leaderboard', window: true },
  {
    name: 'leaderboard-beyond',
    as: 'trader',
    path: '/leaderboard',
    window: true,
    act: (page) => beyondTheList(page),
  },
  { name: 'leaderboard-proven-own', as: 'trader', path: '/leaderboard', act: (page) => provenList(page) },
  { name: 'leaderboard-proven', as: 'follower', path: '/leaderboard', act: (page) => provenList(page) },
  {
    name: 'search',
    as: 'follower',
    path: '/search',
    async act(page) {
      await page.getByPlaceholder('Search by username').fill('maria')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('link', { name: 'View Profile' }).waitFor()
    },
  },
  {
    name: 'search-offered',
    as: 'newcomer',
    path: '/search?username=maria',
    async act(page) {
      await page.getByRole('link', { name: 'View Profile' }).waitFor()
    },
  },
  {
    name: 'search-nobody',
    as: 'follower',
    path: '/search?username=nobody-here',
    async act(page) {
      await page.getByText("That user doesn't seem to exist...").waitFor()
    },
  },
  { name: 'trader', as: 'follower', path: '/trader/{followed}' },
  { name: 'trader-offered', as: 'newcomer', path: '/trader/maria', window: true },
  { name: 'trader-self', as: 'trader', path: '/trader/maria' },
  { name: 'trader-closed', as: 'trader', path: '/trader/maria', act: (page) => everyClosed(page) },
  {
    name: 'trader-closed-dialog',
    as: 'trader',
    path: '/trader/maria',
    window: true,
    async act(page) {
      await everyClosed(page)
      await page.getByRole('table', { name: 'All closed positions' }).getByRole('button').first().click()
    },
  },
  { name: 'trader-unknown', as: 'follower', path: '/trader/nobody-here' },
  { name: 'trader-suspended', as: 'follower', path: '/trader/{followed}', act: (page) => suspended(page) },
  { name: 'subscribe', as: 'newcomer', path: webPaths.subscribe('maria') },
  {
    name: 'subscribe-trial',
    as: 'newcomer',
    path: webPaths.subscribe('maria'),
    act: (page) => offerTrial(page),
  },
  { name: 'payment-confirmed', as: 'follower', path: SUCCESS },
  { name: 'payment-confirmed-trial', as: 'follower', path: SUCCESS, act: (page) => confirmTrial(page) },
  { name: 'payment-confirming', as: 'follower', path: SUCCESS, act: (page) => withoutPayment(page) },
  {
    name: 'payment-not-followed',
    as: 'follower',
    path: SUCCESS,
    async act(page) {
      await withoutPayment(page)
      await page.clock.runFor(31_000)
      await page.getByRole('button', { name: 'Check again' }).waitFor()
    },
  },
  { name: 'account', as: 'trader', path: '/account' },
  {
    name: 'account-desk-nobody',
    as: 'newcomer',
    path: webPaths.subscriptions,
    act: (page) => deskOf(page, { followers: 0, months: [], income: [] }, 'incomplete'),
  },
  {
    name: 'account-desk-stripe-away',
    as: 'trader',
    path: webPaths.subscriptions,
    act: (page) => deskOf(page, null, 'unreadable'),
  },
  {
    name: 'account-desk-taken-off',
    as: 'trader',
    path: webPaths.subscriptions,
    act: (page) => takeOff(page),
  },
  {
    name: 'account-disputed',
    as: 'follower',
    path: webPaths.subscriptions,
    act: (page) => disputePayment(page),
  },
  { name: 'account-desk-failed', as: 'trader', path: webPaths.subscriptions, act: (page) => failDesk(page) },
  { name: 'account-follower', as: 'follower', path: '/account' },
  { name: 'account-mails-off', as: 'follower', path: webPaths.subscriptions, act: (page) => stopMails(page) },
  {
    name: 'account-mails-refused',
    as: 'follower',
    path: webPaths.subscriptions,
    act: (page) => refuseMails(page, 'refused'),
  },
  {
    name: 'account-mails-complained',
    as: 'follower',
    path: webPaths.subscriptions,
    act: (page) => refuseMails(page, 'complained'),
  },
  { name: 'account-newcomer', as: 'newcomer', path: '/account' },
  { name: 'unsubscribe', as: 'visitor', path: '/mail/unsubscribe/{token}' },
  {
    name: 'unsubscribe-done',
    as: 'visitor',
    path: '/mail/unsubscribe/{token}',
    async act(page) {
      await page.getByRole('button', { name: 'Stop these mails' }).click()
      await page.getByRole('heading', { name: 'Done' }).waitFor()
    },
  },
  {
    name: 'unsubscribe-all-done',
    as: 'visitor',
    path: '/mail/unsubscribe/{token}',
    async act(page) {
      await page.getByRole('button', { name: 'Stop mails about all traders' }).click()
      await page.getByRole('heading', { name: 'Done' }).waitFor()
    },
  },
  { name: 'unsubscribe-unknown', as: 'visitor', path: '/mail/unsubscribe/cut' },
  { name: 'not-found', as: 'follower', path: '/nowhere' },
]
