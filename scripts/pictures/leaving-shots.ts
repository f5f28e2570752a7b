import type { Page } from '@playwright/test'
import type { Leaving } from '../../contract/src/leaving.ts'
import type { PaymentReturn, SubscriptionItem } from '../../contract/src/subscriptions.ts'
import { webPaths } from '../../contract/src/web-paths.ts'
import {
  askPage,
  canceledPage,
  deadPage,
  leavingPage,
  refusedPage,
  sentPage,
  withdrawnPage,
} from '../../server/src/billing/leaving/leave-pages.ts'
import type { Shot } from './shots.ts'

const AS_OF = '2026-11-18T15:00:00.000Z'
const RENEWS = '2026-12-16T15:00:00.000Z'
const UNTIL = '2026-11-30T15:00:00.000Z'

const PAYMENT = { paidCents: 1250, returnsCents: 1167, currency: 'usd' }

const LEAVING: Leaving = {
  endsAt: null,
  cancelAt: RENEWS,
  withdrawal: { ...PAYMENT, until: UNTIL, delivered: true, daysLeft: 28 },
  asOf: AS_OF,
}

const WITHDRAWN: PaymentReturn = { why: 'withdrawn', cents: 1167, monthFrom: null, returnedAt: null }
const EMPTY_MONTHS: readonly PaymentReturn[] = [
  { why: 'empty_month', cents: 1250, monthFrom: '2026-09-09', returnedAt: '2026-10-10T09:00:00.000Z' },
  { why: 'empty_month', cents: null, monthFrom: '2026-10-09', returnedAt: null },
]

/** Three rows of the list in other states than the demo world has them, the first with what can be pressed. */
async function rows(page: Page, ...parts: Partial<SubscriptionItem>[]): Promise<void> {
  await page.route('**/v1/subscriptions/*/leaving', (route) => route.fulfill({ json: LEAVING }))
  await page.route('**/v1/subscriptions', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as { subscriptions: SubscriptionItem[] }
    const subscriptions = answer.subscriptions
      .slice(0, parts.length)
      .map((one, nth) => ({ ...one, ...parts[nth] }))
    await route.fulfill({ response, json: { ...answer, subscriptions } })
  })
  await page.reload()
  const section = page.getByRole('region', { name: 'Subscriptions' })
  await section.evaluate((element) => element.scrollIntoView())
}

const PAID = { withdrawUntil: UNTIL, currentPeriodEnd: RENEWS, interval: 'month', trialEndsAt: null } as const

/** A window that a press in the first row opens. */
async function openWindow(page: Page, button: string): Promise<void> {
  await rows(page, PAID)
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('dialog').getByText('Nothing happens before').waitFor()
}

/** A page behind the link of a mail, drawn as the server draws it: nothing ends, for the other pictures. @param opened names of its ways */
function drawn(name: string, body: string, ...opened: string[]): Shot {
  return {
    name,
    as: 'visitor',
    path: '/mail/leaving/cut',
    async act(page) {
      await page.route('**/mail/leaving/*', (route) =>
        route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
      )
      await page.reload()
      for (const way of opened) await page.getByText(way, { exact: true }).click()
    },
  }
}

const list = { as: 'follower', path: webPaths.subscriptions } as const
const linkPage = leavingPage('/mail/leaving/cut', 'maria', LEAVING, { returnEmptyMonths: true })

/** The ways out of a subscription (rule G-126): in the list, in its windows, and behind the links of mails. */
export const leavingShots: readonly Shot[] = [
  {
    ...list,
    name: 'leaving-rows',
    window: true,
    act: (page) =>
      rows(
        page,
        PAID,
        { status: 'trialing', trialEndsAt: '2026-11-25T15:00:00.000Z', withdrawUntil: null },
        { ...PAID, endsAt: RENEWS, withdrawUntil: null },
      ),
  },
  {
    ...list,
    name: 'leaving-returns',
    window: true,
    act: (page) =>
      rows(
        page,
        { status: 'canceled', withdrawUntil: null, withdrawnAt: AS_OF, endsAt: AS_OF, returns: [WITHDRAWN] },
        { ...PAID, withdrawUntil: null, returns: [...EMPTY_MONTHS] },
      ),
  },
  { ...list, name: 'leaving-cancel', window: true, act: (page) => openWindow(page, 'Cancel…') },
  { ...list, name: 'leaving-withdraw', window: true, act: (page) => openWindow(page, 'Withdraw…') },
  { name: 'leave-link-unknown', as: 'visitor', path: '/mail/leave/cut' },
  drawn('leave-link', askPage('maria')),
  drawn('leave-link-sent', sentPage(null)),
  drawn('leave-link-again', sentPage(new Date(UNTIL))),
  drawn('leaving-link', linkPage),
  drawn('leaving-link-open', linkPage, 'Withdraw…', 'Cancel…'),
  drawn('leaving-link-canceled', canceledPage('maria', RENEWS)),
  drawn('leaving-link-withdrawn', withdrawnPage('maria', PAYMENT)),
  drawn('leaving-link-refused', refusedPage()),
  drawn('leaving-link-used', deadPage('used')),
]
