import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { readFile as readArchive } from '../server/test/exports.ts'
import { expectAccessible, expectReadable } from './accessible.ts'
import { proveMailbox } from './authenticator-steps.ts'
import { expect, test } from './fixtures.ts'

const section = (page: Page) => page.getByRole('region', { name: 'Your data' })
const ask = (page: Page) => section(page).getByRole('button', { name: 'Get my data' })
const download = (page: Page) => page.getByRole('button', { name: 'Download', exact: true })
const symbolsIn = async (file: Download) =>
  readArchive(await readFile(await file.path()))
    .of('positions')
    .map(({ symbol }) => symbol)

test('one press makes the file, which is taken by the link of the mail, signed out, and holds the position', {
  tag: ['@phone'],
}, async ({ people, publish, openAs, product, mailbox }) => {
  const person = await people.join()
  await publish(person, 'AAPL', 187.5)
  const page = await openAs(person, '/account')
  await ask(page).focus()
  await page.keyboard.press('Enter')
  await expect(section(page).getByRole('status')).toContainText('Your file is ready.')
  await expect(section(page).getByRole('status')).toBeFocused()
  await expectAccessible(page, 'the file that is ready')

  const mail = await mailbox.latest(person.email, 'Your Tradepost data is ready to download')
  const link = /https?:\/\/\S+\/mail\/export\/\S+/.exec(mail.text)?.[0] ?? ''
  const elsewhere = await openAs(null, link.slice(product.url.length))
  await expect(elsewhere.getByRole('heading', { name: 'Download your data' })).toBeVisible()
  await expectReadable(elsewhere, 'the page of the link')
  const downloading = elsewhere.waitForEvent('download')
  await download(elsewhere).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('tradepost-data-2026-11-18.zip')
  expect(await symbolsIn(file)).toEqual(['AAPL'])
  await elsewhere.reload()
  await expect(elsewhere.getByRole('heading', { name: 'The file was downloaded already' })).toBeVisible()
  await expectReadable(elsewhere, 'the page of a link that is used up')
})

test('later it takes a mailed code first, and the file is taken on the screen, which stays', async ({
  people,
  publish,
  openAs,
  product,
  setTime,
}) => {
  const person = await people.join()
  await publish(person, 'NVDA', 120)
  await setTime(new Date(product.now().getTime() + 6 * 60_000))
  const page = await openAs(person, '/account')
  await ask(page).click()
  await proveMailbox(product, page, person)
  const downloading = page.waitForEvent('download')
  await download(page).click()
  expect(await symbolsIn(await downloading)).toEqual(['NVDA'])
  await expect(section(page).getByRole('status')).toContainText('Your download has begun.')
  await expect(section(page).getByRole('status')).toBeFocused()
  await expect(download(page)).toHaveCount(0)
  expect(new URL(page.url()).pathname).toBe('/account')
  await expectAccessible(page, 'the account during a download')
})

test('a code that is not given and a refusal leave the button where it is', async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/account')
  const answer = (status: number, code: string, message: string) =>
    page.route('**/v1/accounts/export', (route) => route.fulfill({ status, json: { code, message } }))
  await answer(409, 'reauthentication_needed', 'Confirm with a code from your e-mail first.')
  await ask(page).click()
  await section(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(ask(page)).toBeFocused()
  const tooMany = 'You have asked for 3 files within a day. Please try again tomorrow.'
  await answer(429, 'too_many_exports', tooMany)
  await ask(page).click()
  await expect(section(page).getByRole('alert')).toHaveText(tooMany)
  await expect(ask(page)).toBeFocused()
})
