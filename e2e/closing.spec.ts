import { expectAccessible, sideways } from './accessible.ts'
import { proveMailbox } from './authenticator-steps.ts'
import { expect, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { toastsOf } from './toasts.ts'
import { landing, stored } from './visiting-steps.ts'

for (const device of ['a desktop', 'a phone'] as const) {
  test(`somebody on ${device} reads what closing the account does, closes it, and gets it back by the mail`, {
    tag: device === 'a phone' ? ['@phone'] : [],
  }, async ({ people, follow, publish, openAs, mailbox, product }) => {
    const [person, follower] = [await people.join(), await people.join()]
    await follow(follower, person)
    await publish(person, device === 'a phone' ? 'ORCL' : 'INTC', 100)
    const page = await openAs(person, '/account')
    const ask = page.getByRole('button', { name: 'Close account' })
    await ask.click()
    const dialog = page.getByRole('dialog', { name: 'Close your account?' })
    await expect(
      dialog.getByText('1 person who follows you is told, and get the unused part back.'),
    ).toBeVisible()
    await expect(
      dialog.getByText('1 open position is closed at the price of now; opened today, tomorrow.'),
    ).toBeVisible()
    await expectAccessible(page)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(ask).toBeFocused()
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Close account' }).click()
    await expect(landing(page)).toBeVisible()
    await expect
      .poll(() => toastsOf(page))
      .toContainEqual(expect.stringMatching(/^Your account is closed\. The mail/))
    expect(await stored(page)).toEqual({})

    const link = /https?:\S+\/mail\/reopen\/\S+/.exec(
      (await mailbox.latest(person.email, 'Your Tradepost account is closed')).text,
    )?.[0]
    const visitor = await openAs(null, '/')
    await visitor.goto(`${product.url}${new URL(link ?? '').pathname}`)
    await expect(visitor.getByRole('heading', { name: 'Your Tradepost account is closed' })).toBeVisible()
    await expectAccessible(visitor)
    await visitor.getByRole('button', { name: 'Give my account back' }).click()
    await expect(visitor.getByRole('heading', { name: 'Your account is open again' })).toBeVisible()
    const back = await openAs({ ...person, session: await signInByCode(product, person.email) }, '/account')
    await expect(back.getByText(`Signed in as ${person.email}`)).toBeVisible()
  })
}

test('the window stays while a mailed code is checked and the account is closed, whatever is pressed', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const person = await people.join()
  await setTime(new Date(product.now().getTime() + 6 * 60_000))
  const page = await openAs(person, '/account')
  await page.getByRole('button', { name: 'Close account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Close your account?' })
  await dialog.getByRole('button', { name: 'Close account' }).click()
  const { promise: pressed, resolve: sendAnswers } = Promise.withResolvers<void>()
  await page.route('**/v1/accounts/close', async (route) => {
    await pressed
    await route.continue()
  })
  const asked = page.waitForRequest('**/v1/accounts/close')
  await proveMailbox(product, page, person)
  await asked
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Close window' }).click()
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Send again' })).toBeDisabled()
  sendAnswers()
  await expect(landing(page)).toBeVisible()
})
