import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { positions } from './sign-in-steps.ts'
import { expectToast } from './toasts.ts'
import { landing } from './visiting-steps.ts'

const END = '**/v1/accounts/sessions/*/end'

const section = (page: Page) => page.getByRole('region', { name: 'Where you are signed in' })
const rows = (page: Page) => section(page).getByRole('listitem')

test('another session is seen and ended, after a failure too, and is out at once while this one stays', {
  tag: ['@ACC-16', '@phone'],
}, async ({ people, openAs, product }) => {
  const person = await people.join()
  const elsewhere = await openAs({ ...person, session: await signInByCode(product, person.email) }, '/')
  await expect(positions(elsewhere)).toBeVisible()
  const page = await openAs(person, '/account')
  await expect(rows(page)).toHaveCount(2)
  const own = rows(page).first()
  await expect(own).toContainText('(this device)')
  await expect(own).toContainText('Network local')
  await expect(own).toContainText('Last seen Nov 18, 2026')
  await expect(own.getByRole('button')).toHaveCount(0)
  const button = rows(page).last().getByRole('button', { name: 'End session' })

  await page.route(END, (route) => route.fulfill({ status: 503, json: {} }))
  await button.click()
  await expect(rows(page).last().getByRole('alert')).toHaveText('Something went wrong, please try again.')
  await expect(button).toBeFocused()
  await page.unroute(END)
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(1)
  await expect(section(page).getByRole('heading')).toBeFocused()
  await expectToast(page, 'Session ended: Another program.')

  await elsewhere.reload()
  await expect(landing(elsewhere)).toBeVisible()
  await page.reload()
  await expect(rows(page)).toHaveCount(1)
})

test('a session that ended meanwhile goes from the list, and a list that cannot be had is asked for again', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  await signInByCode(product, person.email)
  const page = await openAs(person, '/account')
  await expect(rows(page)).toHaveCount(2)
  await page.route(END, (route) =>
    route.fulfill({ status: 404, json: { code: 'not_found', message: 'Not found.' } }),
  )
  await section(page).getByRole('button', { name: 'End session' }).click()
  await expect(rows(page)).toHaveCount(1)

  await page.route('**/v1/accounts/sessions', (route) => route.fulfill({ status: 500, json: {} }))
  await page.reload()
  await expect(section(page).getByText('Something went wrong, please try again.')).toBeVisible()
  await page.unroute('**/v1/accounts/sessions')
  await section(page).getByRole('button', { name: 'Try again' }).click()
  await expect(rows(page)).toHaveCount(2)
})
