import type { Page, Route } from '@playwright/test'
import type { TraderDesk, TraderPayouts } from '../contract/src/desk.ts'
import type { SubscriptionItem } from '../contract/src/subscriptions.ts'
import type { TraderProfile } from '../contract/src/traders.ts'

/** Any page of the payment provider, outside of the product. */
export const PROVIDER = 'https://pages.stripe.example'

type Fulfilment = Parameters<Route['fulfill']>[0]
/** The answers to calls, by method and path under /v1; an answer can be changed, or taken away again. */
export type Answers = Record<string, Fulfilment>

/**
 * Answers calls of the product API in the server's place, and serves the provider's pages.
 * @returns the calls that were answered so, such as `POST subscriptions/new`, in their order
 */
export async function answerWith(page: Page, answers: Answers): Promise<string[]> {
  const calls: string[] = []
  await page
    .context()
    .route(`${PROVIDER}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>The payment provider</h1>' }),
    )
  await page.route('**/v1/**', (route) => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    const call = `${request.method()} ${pathname.slice('/v1/'.length)}`
    const answer = answers[call]
    if (answer === undefined) return route.fallback()
    calls.push(call)
    return route.fulfill(answer)
  })
  return calls
}

/** A trader whom the viewer can subscribe to. */
export function offeredTrader(username: string): TraderProfile {
  return {
    username,
    openPositions: 2,
    closedPositions: 3,
    averageProfit: 5,
    canSubscribe: true,
    isSubscribed: false,
    isSelf: false,
    latestPositions: [],
    priceCents: 1000,
    currency: 'usd',
  }
}

/** The answers for the subscribe page of a viewer who may subscribe to `maria`. */
export function offerAnswers(configured: boolean): Answers {
  return {
    'GET accounts/profile': { json: offeredTrader('maria') },
    'GET accounts/customer': { json: { configured } },
    'GET subscriptions/maria': { json: { subscribed: false, id: null, status: null } },
  }
}

/** A subscription that runs. */
export function subscriptionTo(username: string, part: Partial<SubscriptionItem> = {}): SubscriptionItem {
  return {
    id: `of-${username}`,
    username,
    status: 'active',
    mailEnabled: true,
    endsAt: null,
    currentPeriodEnd: '2026-12-18T12:00:00.000Z',
    startedAt: '2026-11-18T12:00:00.000Z',
    priceCents: 1000,
    currency: 'usd',
    ...part,
  }
}

/** The desk of a trader whom so many follow since this month. */
function deskOf(followers: number): TraderDesk {
  return {
    followers,
    months: [
      { month: '2026-11', gained: followers, lost: 0 },
      { month: '2026-10', gained: 0, lost: 0 },
    ],
    income: [{ currency: 'usd', thisMonthCents: 270000000, lastMonthCents: 0, allCents: 270000000 }],
  }
}

const PAYOUTS: TraderPayouts = {
  state: 'ready',
  balance: [{ currency: 'usd', availableCents: 0, pendingCents: 180000000 }],
  coming: [{ id: 'po_1', amountCents: 90000000, currency: 'usd', arrivesOn: '2026-11-26' }],
}

/** The account page of somebody with a username. */
export function accountAnswers(part: {
  trader?: boolean
  customer?: boolean
  onboardComplete?: boolean
}): Answers {
  const { trader = false, customer = false, onboardComplete = false } = part
  return {
    'GET accounts/configuration': { json: { username: 'somebody', trader, customer } },
    'GET accounts/stripe/status': { json: { onboardComplete } },
    'GET accounts/desk': { json: deskOf(3) },
    'GET accounts/desk/payouts': { json: PAYOUTS },
    'GET subscriptions': { json: { subscriptions: [] } },
  }
}
