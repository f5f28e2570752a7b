import type { Page } from '@playwright/test'
import { expect, STALE_MS, test } from './fixtures.ts'
import { control, deliverAtOnce, onboard, sandboxState, subscribe } from './paying-steps.ts'
import { accountAnswers, answerWith } from './payments-answers.ts'
import { keepFeedAway, NEUTRAL } from './visiting-steps.ts'

/** A figure of the desk by its name. */
const fact = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Subscriptions' }).locator('dl > div').filter({ hasText: name })

test('a trader sees followers, income and payouts grow and shrink, and sees when Stripe is away', {
  tag: ['@ACC-18'],
}, async ({ people, openAs, publish, mailbox, product, setTime }) => {
  const [trader, follower] = [await people.join(), await people.join()]
  const page = await openAs(trader, '/account')
  await onboard(page)
  const section = page.getByRole('region', { name: 'Subscriptions' })
  await expect(section.getByText('Subscribers: 0')).toBeVisible()
  await expect(section.getByText('Nobody has followed you yet.')).toBeVisible()
  await expect(section.getByRole('link', { name: 'profile' })).toHaveAttribute(
    'href',
    `/trader/${trader.username}`,
  )
  await expect(section.getByRole('button', { name: 'Share this profile' })).toBeVisible()
  await expect(section.getByText('Nothing to pay out yet.')).toBeVisible()

  // A follower pays: both are mailed, and the desk counts.
  await publish(trader, 'AAPL', 187.52)
  await subscribe(await openAs(follower, '/'), product, trader.username)
  const welcome = await mailbox.latest(follower.email, `You follow @${trader.username} from now on`)
  expect(welcome.text).toContain('AAPL')
  await mailbox.latest(trader.email, 'Your first follower on Tradepost')
  const again = async () => {
    await setTime(new Date(product.now().getTime() + STALE_MS))
    await page.goto(`${product.url}/account`)
  }
  await again()
  await expect(section.getByText('Subscribers: 1')).toBeVisible()
  await expect(fact(page, 'In all')).toContainText('$9.00')
  await expect(fact(page, 'Balance at Stripe')).toContainText('$0.00 available, $9.00 pending')
  await expect(fact(page, 'Next payout')).toContainText('Stripe sends what is pending')
  const months = section.getByRole('table', { name: 'New and lost followers by month, in UTC' })
  await expect(months.getByRole('row')).toHaveCount(13)
  await expect(months.getByRole('row', { name: 'Nov 2026 1 0' })).toBeVisible()

  // Three days later it is on its way to the bank.
  await control(product, 'advance', { days: 3 })
  await again()
  await expect(fact(page, 'Next payout')).toContainText(/\$9\.00 on \w+ \d+, \d+/)
  await expect(fact(page, 'Balance at Stripe')).toContainText('$0.00 available, $0.00 pending')

  // A refund takes it off, after it was sent.
  const { charges } = await sandboxState(product)
  const charge = charges.find(({ email }) => email === follower.email)
  await control(product, 'refund', { id: charge?.id })
  await deliverAtOnce(product)
  await expect(async () => {
    await again()
    await expect(fact(page, 'In all')).toContainText('$0.00', { timeout: 10_000 })
  }).toPass()
  await expect(fact(page, 'Balance at Stripe')).toContainText('-$9.00 available')
  const takenOff = section.getByRole('table', { name: 'Payments that were returned or disputed' })
  await expect(
    takenOff.getByRole('row', { name: /^Nov \d+, 2026 Returned \$10\.00 -\$9\.00$/ }),
  ).toBeVisible()

  // Stripe is away, and back. News of the refund would have the page ask by itself.
  await keepFeedAway(page)
  for (const path of ['/v1/balance', '/v1/payouts'])
    await control(product, 'fault', { kind: 'error', times: 1000, method: 'GET', path })
  await again()
  await expect(section.getByText(/^Stripe does not answer/)).toBeVisible()
  await expect(section.getByText('Subscribers: 1')).toBeVisible()
  await control(product, 'calm')
  await section.getByRole('button', { name: 'Try again' }).press('Enter')
  await expect(fact(page, 'Balance at Stripe')).toContainText('-$9.00 available')
})

test('on a phone the desk is one column, and nothing scrolls sideways', { tag: ['@phone'] }, async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answers = accountAnswers({ trader: true, customer: true, onboardComplete: true })
  await answerWith(page, answers)
  await page.goto(`${product.url}/account#subscriptions`)
  const section = page.getByRole('region', { name: 'Subscriptions' })
  await expect(fact(page, 'Balance at Stripe')).toBeVisible()
  const [income, months] = ['Income', 'Followers by month'].map((name) =>
    section.getByRole('heading', { level: 3, name }),
  )
  const [above, below] = [await income?.boundingBox(), await months?.boundingBox()]
  expect(above?.x).toBe(below?.x)
  expect(above?.y).toBeLessThan(below?.y ?? 0)
  const sideways = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(await sideways()).toBe(0)
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await sideways()).toBe(0)
})
