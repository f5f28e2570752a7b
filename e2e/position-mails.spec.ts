import { expectAccessible, expectReadable, sideways } from './accessible.ts'
import { expect, type Fixtures, type Person, test } from './fixtures.ts'

const REASON =
  'Switched off for all traders, also for those whom you follow later. Subscriptions, notifications and mails about payments go on.'

type Steps = Pick<Fixtures, 'people' | 'follow' | 'call'>

/** Somebody who follows two traders, and another follower of them, who shows that mails go out. */
async function twoFollowed({ call, follow, people }: Steps) {
  const [one, two] = [await people.join(), await people.join()]
  const [reader, other] = [await people.join(), await people.join()]
  await call(reader, 'POST', '/v1/accounts/customer')
  for (const person of [reader, other]) for (const trader of [one, two]) await follow(person, trader)
  return { one, two, reader, other }
}

const aboutPositions = async (all: Promise<{ subject: string }[]>) =>
  (await all).map(({ subject }) => subject).filter((subject) => subject.includes(' opened '))

test('one switch stops the mails about positions of all traders, by keyboard, in every tab, and starts them again', async ({
  people,
  follow,
  call,
  publish,
  openAs,
  mailbox,
  product,
}) => {
  const { one, other, reader, two } = await twoFollowed({ people, follow, call })
  const page = await openAs(reader, '/account#subscriptions')
  const tab = await page.context().newPage()
  await tab.goto(`${product.url}/account#subscriptions`)
  const all = page.getByRole('switch', { name: 'All mails about positions' })
  const ofTraders = page.getByRole('switch', { name: 'E-mail me' })
  await expect(all).toBeChecked()
  await expect(ofTraders).toHaveCount(2)
  const table = page.getByRole('table', { name: 'Your subscriptions' })
  const before = await table.boundingBox()

  await all.press('Space')
  await expect(all).not.toBeChecked()
  await expect(all).toBeFocused()
  await expect(all).toHaveAccessibleDescription(REASON)
  for (const nth of [0, 1]) {
    await expect(ofTraders.nth(nth)).toBeDisabled()
    await expect(ofTraders.nth(nth)).toBeChecked()
    await expect(ofTraders.nth(nth)).toHaveAccessibleDescription(new RegExp(REASON))
  }
  await expect(page.getByText(REASON)).toBeVisible()
  expect(await table.boundingBox()).toEqual(before)
  await expect(tab.getByRole('switch', { name: 'All mails about positions' })).not.toBeChecked()
  await expectAccessible(page, 'the switch that is off')

  await publish(one, 'AAPL', 187.52)
  await publish(two, 'MSFT', 400)
  await mailbox.untilNothingIsLeft()
  await expect.poll(() => aboutPositions(mailbox.all(other.email))).toHaveLength(2)
  expect(await aboutPositions(mailbox.all(reader.email))).toEqual([])

  await tab.getByRole('switch', { name: 'All mails about positions' }).click()
  await expect(all).toBeChecked()
  await expect(ofTraders.first()).toBeEnabled()
  await publish(one, 'NVDA', 120)
  await mailbox.latest(reader.email, `@${one.username} opened NVDA at $120.00`)
  expect(await aboutPositions(mailbox.all(reader.email))).toHaveLength(1)
})

async function linkOf(
  reader: Person,
  read: (email: string, subject: string) => Promise<{ text: string }>,
  subject: string,
) {
  const { text } = await read(reader.email, subject)
  return new URL(/https?:\/\/\S+\/mail\/unsubscribe\/[\w-]+/.exec(text)?.[0] ?? '').pathname
}

test('on a phone the link of a mail stops the mails of all traders, and the page behind it takes that back', {
  tag: ['@phone'],
}, async ({ people, follow, call, publish, openAs, mailbox, product }) => {
  const { one, reader } = await twoFollowed({ people, follow, call })
  await publish(one, 'AAPL', 187.52)
  const path = await linkOf(reader, mailbox.latest, `@${one.username} opened AAPL at $187.52`)
  const page = await openAs(null, path)
  const second = page.getByRole('button', { name: 'Stop mails about all traders' })
  await expect(second).toBeVisible()
  expect((await second.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await second.click()
  await expect(page.getByRole('heading')).toHaveText('Done: no more mails about positions')
  expect(await sideways(page)).toBe(0)

  const account = await openAs(reader, '/account#subscriptions')
  const all = account.getByRole('switch', { name: 'All mails about positions' })
  await expect(all).not.toBeChecked()
  expect(await sideways(account)).toBe(0)
  await page.getByRole('button', { name: 'Mail me about positions again' }).click()
  await expect(page.getByRole('heading')).toHaveText('Mails about positions are on again')
  await expect(all).toBeChecked()

  await page.goto(product.url + path)
  await page.getByRole('button', { name: 'Stop mails about all traders' }).press('Enter')
  await expect(page.getByRole('heading')).toHaveText('Done: no more mails about positions')
  await expectReadable(page, 'the answer about all traders')
})
