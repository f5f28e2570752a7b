import { readFile } from 'node:fs/promises'
import { authenticatorCode } from '../server/test/sign-in/authenticator.ts'
import { beginSetUp, codeField, giveAuthenticator, secondStep } from './authenticator-steps.ts'
import { codeIn, expect, test } from './fixtures.ts'
import { askForCode, FAILURE, positions } from './sign-in-steps.ts'
import { landing } from './visiting-steps.ts'

test('the set-up shows ten codes once and downloads them; one of them signs in where the app is lost, and Account shows how many are left', {
  tag: ['@phone'],
}, async ({ people, openAs, product, mailbox }) => {
  const person = await people.join()
  const page = await openAs(person, '/account')
  const { secret } = await beginSetUp(page)
  await codeField(page).fill(authenticatorCode(secret, product.now()))
  await page.keyboard.press('Enter')
  const shown = page.getByRole('region', { name: 'Your recovery codes' })
  await expect(shown.getByRole('listitem')).toHaveCount(10)
  const codes = await shown.getByRole('listitem').allInnerTexts()
  const downloading = page.waitForEvent('download')
  await shown.getByRole('button', { name: 'Download' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('tradepost-recovery-codes.txt')
  const text = await readFile(await file.path(), 'utf8')
  expect(text.split('\n').filter((line) => /^[0-9A-Z]{5}-[0-9A-Z]{5}$/.test(line))).toEqual(codes)
  await shown.getByRole('button', { name: 'I have saved them' }).click()
  await expect(page.getByText('10 recovery codes left')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Make new codes' })).toBeFocused()
  await page.reload()
  await expect(page.getByText('10 recovery codes left')).toBeVisible()
  await mailbox.latest(person.email, 'Two-step verification was turned on')

  const elsewhere = await openAs(null, '/login')
  const before = (await mailbox.all(person.email)).length
  await askForCode(elsewhere, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(before + 1)
  await elsewhere.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(person.email)))
  await elsewhere.keyboard.press('Enter')
  await expect(secondStep(elsewhere)).toBeFocused()
  await elsewhere.getByRole('button', { name: 'Use a recovery code' }).click()
  const recovery = elsewhere.getByRole('textbox', { name: 'Recovery code' })
  await expect(recovery).toBeFocused()
  await recovery.fill('ZZZZZ-ZZZZZ')
  await elsewhere.keyboard.press('Enter')
  await expect(elsewhere.getByText(FAILURE, { exact: true })).toBeVisible()
  await recovery.fill(codes[3]?.toLowerCase() ?? '')
  await elsewhere.keyboard.press('Enter')
  await expect(positions(elsewhere)).toBeVisible()
  const notice = await mailbox.latest(person.email, 'A recovery code was used to sign in')
  expect(notice.text).toContain('Recovery codes left: 9')
  await elsewhere.goto(`${product.url}/account`)
  await expect(elsewhere.getByText('9 recovery codes left')).toBeVisible()
})

test('the link of the mail undoes what somebody else set up, with a mailed code, without being signed in', {
  tag: ['@phone'],
}, async ({ people, openAs, product, mailbox }) => {
  const person = await people.join()
  const { session } = await giveAuthenticator(product, person)
  const thief = await openAs({ ...person, session }, '/')
  await expect(positions(thief)).toBeVisible()
  const notice = await mailbox.latest(person.email, 'Two-step verification was turned on')
  const link = /https?:\/\/\S+\/mail\/second-step\/\S+/.exec(notice.text)?.[0] ?? ''
  const owner = await openAs(null, link.slice(product.url.length))
  await expect(
    owner.getByRole('heading', { name: 'Remove the authenticator app that was added?' }),
  ).toBeVisible()
  await owner.getByRole('button', { name: 'Send me a code' }).click()
  await expect(owner.getByText('We sent a code to your e-mail.')).toBeVisible()
  let code = ''
  await expect
    .poll(async () => {
      const mail = (await mailbox.all(person.email)).find(({ subject }) =>
        subject.includes('undoes a change'),
      )
      code = mail ? codeIn(mail) : ''
      return code
    })
    .toMatch(/^\d{6}$/)
  const field = owner.getByRole('textbox', { name: 'Code from your e-mail' })
  await field.fill(code === '000000' ? '000001' : '000000')
  await owner.keyboard.press('Enter')
  await expect(owner.getByText('That code is not right, or it has expired.')).toBeVisible()
  await field.fill(code)
  await owner.getByRole('button', { name: 'Undo the change' }).click()
  await expect(owner.getByRole('heading', { name: 'The authenticator app has been removed' })).toBeVisible()
  await mailbox.latest(person.email, 'Two-step verification was turned off')

  await thief.reload()
  await expect(landing(thief)).toBeVisible()
  await owner.getByRole('link', { name: 'Sign in again' }).click()
  const before = (await mailbox.all(person.email)).length
  await askForCode(owner, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(before + 1)
  await owner.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(person.email)))
  await owner.keyboard.press('Enter')
  await expect(positions(owner)).toBeVisible()
})
