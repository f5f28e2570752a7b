import type { Page } from '@playwright/test'
import { expectAccessible, expectReadable, sideways } from './accessible.ts'
import { expect, type Fixtures, type Person, test } from './fixtures.ts'
import { CARDS, goToCheckout, onboard, payWith } from './paying-steps.ts'
import { translateAlways } from './translated.ts'

type Steps = Pick<Fixtures, 'call' | 'openAs' | 'people' | 'product'>

/** A trader at $12.50 a month whom somebody has just begun to follow, and the follower's page. */
async function follow({
  call,
  openAs,
  people,
  product,
}: Steps): Promise<{ trader: Person; follower: Person; page: Page }> {
  const [trader, follower] = [await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  await expect(own.getByText("You're all set!")).toBeVisible()
  const prices = { monthly: '12.50', yearly: null, currency: 'usd', trialDays: null }
  expect(await call(trader, 'POST', '/v1/accounts/prices', prices)).toMatchObject({ status: 200 })
  const page = await openAs(follower, '/')
  await goToCheckout(page, product, trader.username)
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
  await expect(page.getByText('Confirmed.')).toBeVisible()
  await page.goto(`${product.url}/account#subscriptions`)
  return { trader, follower, page }
}

/** On a page that is translated each text has other words behind it. */
const translated = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })

/** The place of a row that tells how the subscription stands. */
const outcome = (page: Page, words: string) => page.locator('td > span[tabindex]').filter({ hasText: words })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test('by keyboard alone somebody cancels, keeps it, and withdraws, and reads each amount before', async ({
  call,
  mailbox,
  openAs,
  people,
  product,
}) => {
  const { follower, page, trader } = await follow({ call, openAs, people, product })
  await button(page, 'Cancel…').press('Enter')
  const dialog = page.getByRole('dialog', { name: `Cancel your subscription to @${trader.username}?` })
  await expect(dialog.getByText(/^You keep your access until .+\. Nothing more is charged/)).toBeVisible()
  await expect(dialog.getByText(/and you get back \$12\.50\.$/)).toBeVisible()
  await expectAccessible(page, 'the window of Cancel')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(button(page, 'Cancel…')).toBeFocused()

  await button(page, 'Cancel…').press('Enter')
  await button(page, /^Cancel at \w+ \d+$/).press('Enter')
  await expect(button(page, 'Keep it')).toBeVisible()
  await expect(page.getByText(/^Ends on /)).toBeFocused()
  await button(page, 'Keep it').press('Enter')
  await expect(page.getByText('Active', { exact: true })).toBeFocused()

  await button(page, 'Withdraw…').press('Enter')
  await expect(
    page.getByText(/^You get back your whole payment of \$12\.50, since by .+ nothing was published/),
  ).toBeVisible()
  await expectAccessible(page, 'the window of Withdraw')
  await button(page, 'Withdraw now').press('Enter')
  await expect(page.getByText(/^Withdrawn on /)).toBeFocused()
  await expect(page.getByText(/^You withdrew, and \$12\.50 /)).toBeVisible()
  await expectAccessible(page, 'the list behind a withdrawal')
  await mailbox.latest(
    follower.email,
    `You have withdrawn from @${trader.username}: $12.50 is on its way back`,
  )
  await mailbox.latest(trader.email, 'A subscriber has withdrawn: $12.50 is returned')
})

test('somebody who is not signed in leaves by the links of their mails', { tag: ['@phone'] }, async ({
  call,
  mailbox,
  openAs,
  page: stranger,
  people,
  product,
}) => {
  const { follower, page, trader } = await follow({ call, openAs, people, product })
  expect(await sideways(page)).toBe(0)
  const mail = await mailbox.latest(follower.email, `You follow @${trader.username} from now on`)
  const footer = /https?:\/\/\S+\/mail\/leave\/\S+/.exec(mail.text)?.[0] ?? ''
  await stranger.goto(footer)
  await expectReadable(stranger, 'the page of a footer')
  await button(stranger, 'Mail me the link').click()
  await expect(stranger.getByRole('heading', { name: 'The link is on its way' })).toBeVisible()
  const wayOut = await mailbox.latest(follower.email, `Cancel or withdraw from @${trader.username}`)
  await translateAlways(stranger)
  await stranger.goto(/https?:\/\/\S+\/mail\/leaving\/\S+/.exec(wayOut.text)?.[0] ?? '')
  await expect(stranger.getByText(/^\$12\.50 comes back/)).toBeVisible()
  await stranger.getByText('Cancel…').click()
  await stranger.getByText('Withdraw…').click()
  await expect(
    stranger.getByText(/^You get back your whole payment of \$12\.50, since by .+ nothing was published/),
  ).toBeVisible()
  await expectReadable(stranger, 'the page of the mailed link')
  await stranger.getByRole('button', { name: /^Withdraw now/ }).click()
  await expect(stranger.getByRole('heading', { name: /^You have withdrawn from/ })).toBeVisible()
  await expectReadable(stranger, 'the page behind a withdrawal')
  await page.reload()
  await expect(page.getByText(/^Withdrawn on /)).toBeVisible()
  await expect(page.getByText(/^You withdrew, and \$12\.50 /)).toBeVisible()
  expect(await sideways(page)).toBe(0)
})

test('in a browser that translates, the account windows cancel, keep and withdraw', async ({
  call,
  openAs,
  people,
  product,
}) => {
  const { page } = await follow({ call, openAs, people, product })
  await translateAlways(page)
  await translated(page, 'Cancel…').click()
  await expect(page.getByText(/^You keep your access until .+ UTC\)\. Nothing more is charged/)).toBeVisible()
  await translated(page, 'Cancel at ').click()
  await expect(outcome(page, 'Ends on ')).toBeFocused()
  await translated(page, 'Keep it').click()
  await expect(outcome(page, 'Active')).toBeFocused()
  await translated(page, 'Withdraw…').click()
  await expect(
    page.getByText(/^You get back your whole payment of \$12\.50, since by .+ nothing was published/),
  ).toBeVisible()
  await translated(page, 'Withdraw now').click()
  await expect(outcome(page, 'Withdrawn on ')).toBeFocused()
  await expect(page.getByText(/^You withdrew, and \$12\.50 /)).toBeVisible()
})
