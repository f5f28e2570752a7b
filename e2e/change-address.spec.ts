import type { Page } from '@playwright/test'
import { expectAccessible, expectReadable } from './accessible.ts'
import { giveAuthenticator } from './authenticator-steps.ts'
import { codeIn, expect, test } from './fixtures.ts'
import { loseAnswer } from './lose-answer.ts'
import type { Product } from './product.ts'
import { mailsTo, signInByCode } from './sign-in-by-code.ts'
import { askForCode, positions } from './sign-in-steps.ts'
import { landing } from './visiting-steps.ts'

const part = (page: Page) => page.getByRole('region', { name: 'E-mail address' })
const ofOld = (page: Page) => part(page).getByRole('textbox', { name: 'Code sent to your address now' })
const ofNew = (page: Page) => part(page).getByRole('textbox', { name: 'Code sent to the new address' })

/** The code of the newest mail of a change, once it is another one than before. */
async function codeTo(product: Product, to: string, before = ''): Promise<string> {
  let code = ''
  await expect
    .poll(async () => {
      const mail = (await mailsTo(product, to)).find(({ subject }) =>
        /^\d{6} (moves your|confirms this address)/.test(subject),
      )
      code = mail ? codeIn(mail) : ''
      return code !== '' && code !== before
    })
    .toBe(true)
  return code
}

/** The code of the newest mail. */
async function newestCode(product: Product, to: string): Promise<string> {
  const [mail] = await mailsTo(product, to)
  return mail ? codeIn(mail) : ''
}

/** From the part as it stands to the two fields. */
async function ask(page: Page, wanted: string): Promise<void> {
  await part(page).getByRole('button', { name: 'Change address' }).click()
  const field = part(page).getByRole('textbox', { name: 'New e-mail address' })
  await expect(field).toBeFocused()
  await field.fill(wanted)
  await page.keyboard.press('Enter')
  await expect(ofOld(page)).toBeFocused()
}

const wrong = (code: string) => (code === '000000' ? '000001' : '000000')

test('two mailed codes give an account another address, after a typing error, a wrong code and a reload; the old address opens it no more', {
  tag: ['@phone'],
}, async ({ people, openAs, product }) => {
  const person = await people.join()
  const next = `new-${person.email}`
  const elsewhere = await openAs({ ...person, session: await signInByCode(product, person.email) }, '/')
  await expect(positions(elsewhere)).toBeVisible()
  const page = await openAs(person, '/account')
  await expect(part(page).getByText(person.email)).toBeVisible()
  await expectAccessible(page, 'the address')

  await part(page).getByRole('button', { name: 'Change address' }).click()
  const field = part(page).getByRole('textbox', { name: 'New e-mail address' })
  await field.fill('müller@example.com')
  await part(page).getByRole('button', { name: 'Send codes' }).click()
  await expect(part(page).getByText('Mails can go only to an address with plain letters')).toBeVisible()
  await expect(field).toBeFocused()
  await expectAccessible(page, 'a refused address')
  await field.fill(` <${next.toUpperCase()}>, `)
  await page.keyboard.press('Enter')
  await expect(ofOld(page)).toBeFocused()
  await expect(part(page).getByText(next)).toBeVisible()
  await expectAccessible(page, 'the two codes')

  const [old, fresh] = [await codeTo(product, person.email), await codeTo(product, next)]
  await ofOld(page).fill(wrong(old))
  await page.keyboard.press('Enter')
  await expect(part(page).getByText('That code is not right, or it has expired.')).toBeVisible()
  await expect(ofOld(page)).toBeFocused()
  await ofOld(page).fill(old)
  await page.keyboard.press('Enter')
  await expect(part(page).getByText('One code is accepted. Now the other one.')).toBeVisible()
  await expect(ofNew(page)).toBeFocused()
  await page.reload()
  await expect(ofNew(page)).not.toBeFocused()
  await ofNew(page).fill(fresh)
  await part(page).getByRole('button', { name: 'Confirm' }).click()

  await expect(part(page).getByRole('heading', { name: 'E-mail address' })).toBeFocused()
  await expect(part(page).getByText('This is your address from now on.')).toBeVisible()
  await expect(part(page).getByText(next)).toBeVisible()
  await expect(page.getByText(`Signed in as ${next}`)).toBeVisible()
  await page.reload()
  await expect(part(page).getByText(next)).toBeVisible()
  await elsewhere.reload()
  await expect(landing(elsewhere)).toBeVisible()

  await elsewhere.goto(`${product.url}/login`)
  const before = (await mailsTo(product, next)).length
  await askForCode(elsewhere, next)
  await expect.poll(async () => (await mailsTo(product, next)).length).toBe(before + 1)
  await elsewhere.getByRole('textbox', { name: 'Code' }).fill(await newestCode(product, next))
  await elsewhere.keyboard.press('Enter')
  await expect(positions(elsewhere)).toBeVisible()
  const stranger = await openAs(null, '/login')
  await askForCode(stranger, person.email)
  await expect(stranger.getByRole('textbox', { name: 'Code' })).toBeVisible()
  const subjects = (await mailsTo(product, person.email)).map(({ subject }) => subject)
  expect(subjects[0]).toContain('has another address now')
})

test('a change is taken back before it is finished, and sent again', async ({ people, openAs, product }) => {
  const person = await people.join()
  const page = await openAs(person, '/account')
  await ask(page, `typo-${person.email}`)
  await part(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(part(page).getByRole('heading', { name: 'E-mail address' })).toBeFocused()
  await expect(part(page).getByText(person.email)).toBeVisible()
  await page.reload()
  await expect(part(page).getByRole('button', { name: 'Change address' })).toBeVisible()
  await ask(page, `right-${person.email}`)
  const first = await codeTo(product, `right-${person.email}`)
  await part(page).getByRole('button', { name: 'Send again' }).click()
  await expect(part(page).getByText('We sent new codes.')).toBeVisible()
  const second = await codeTo(product, `right-${person.email}`, first)
  await ofOld(page).fill(await codeTo(product, person.email))
  await ofNew(page).fill(second)
  await part(page).getByRole('button', { name: 'Confirm' }).click()
  await expect(part(page).getByText('This is your address from now on.')).toBeVisible()
})

test('somebody with two-step verification changes the address without giving the second step again', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const { session } = await giveAuthenticator(product, person)
  const page = await openAs({ ...person, session }, '/account')
  const next = `safe-${person.email}`
  await ask(page, next)
  await ofOld(page).fill(await codeTo(product, person.email))
  await ofNew(page).fill(await codeTo(product, next))
  await page.keyboard.press('Enter')
  await expect(part(page).getByText('This is your address from now on.')).toBeVisible()
  await expect(page.getByText('Authenticator app, since')).toBeVisible()
})

test('the link of the mail to the old address takes the change back at the press of a button, without a sign-in', {
  tag: ['@phone'],
}, async ({ people, openAs, product, mailbox }) => {
  const person = await people.join()
  const page = await openAs(person, '/account')
  const next = `thief-${person.email}`
  await ask(page, next)
  await ofOld(page).fill(await codeTo(product, person.email))
  await ofNew(page).fill(await codeTo(product, next))
  await page.keyboard.press('Enter')
  await expect(part(page).getByText('This is your address from now on.')).toBeVisible()
  const notice = await mailbox.latest(person.email, 'Your Tradepost account has another address now')
  const link = /https?:\/\/\S+\/mail\/address\/\S+/.exec(notice.text)?.[0] ?? ''
  const owner = await openAs(null, link.slice(product.url.length))
  await expect(owner.getByRole('heading', { name: 'Give the account back its old address?' })).toBeVisible()
  await owner.getByRole('button', { name: 'Undo the change' }).click()
  await expect(owner.getByRole('heading', { name: 'The account has its old address again' })).toBeVisible()
  await mailbox.latest(next, 'A change of your address was undone')
  await page.reload()
  await expect(landing(page)).toBeVisible()
  await expectReadable(owner, 'the old address is back')
})

test('an address changes although the answers to both codes were lost', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/account')
  const next = `lost-${person.email}`
  await ask(page, next)
  const [old, fresh] = [await codeTo(product, person.email), await codeTo(product, next)]
  const confirm = part(page).getByRole('button', { name: 'Confirm' })
  await ofOld(page).fill(old)
  await loseAnswer(page, '/auth/v1/verify')
  await confirm.click()
  await expect(part(page).getByText('Something went wrong')).toBeVisible()
  await ofNew(page).fill(fresh)
  await loseAnswer(page, '/auth/v1/verify')
  await confirm.click()
  await expect(part(page).getByText('This is your address from now on.')).toBeVisible()
  await expect(part(page).getByText(next)).toBeVisible()
  await page.reload()
  await expect(part(page).getByText(next)).toBeVisible()
  await expect(part(page).getByRole('button', { name: 'Change address' })).toBeVisible()
})
