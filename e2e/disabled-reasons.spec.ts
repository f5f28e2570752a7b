import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'

/** Expects the page's disabled buttons to be those of `expected`, each with its reason as description and in sight. */
async function expectReasons(page: Page, expected: Record<string, string>): Promise<void> {
  const disabled = page.getByRole('button', { disabled: true })
  await expect(disabled).toHaveCount(Object.keys(expected).length)
  for (const [name, reason] of Object.entries(expected)) {
    const button = page.getByRole('button', { name, exact: true, disabled: true })
    await expect(button).toHaveAccessibleDescription(reason)
    const shown = page.getByText(reason, { exact: true }).or(page.getByPlaceholder(reason, { exact: true }))
    await expect(shown.first()).toBeVisible()
  }
}

test('every disabled button names the reason, and the reason goes with what was missing', async ({
  people,
  openAs,
  publish,
  follow,
  setTime,
  product,
}) => {
  const visitor = await openAs(null, '/login')
  await expectReasons(visitor, { Continue: 'Enter your e-mail address.' })
  await visitor.getByLabel('E-mail').fill('maria@people.example')
  await expectReasons(visitor, {})

  const newcomer = await openAs(await people.join({ username: null }), '/account')
  await expectReasons(newcomer, {
    'Set Username':
      'The name that others see. It can be set once: 3 to 15 letters, numbers, hyphens or underscores, beginning with a letter or number.',
    Submit: 'Write at least 10 characters.',
  })
  await newcomer.getByRole('textbox', { name: 'Username' }).fill('a-name-that-is-too-long')
  await expect(newcomer.getByRole('button', { name: 'Set Username' })).toHaveAccessibleDescription(
    /^Username is too long /,
  )
  await newcomer.goto(`${product.url}/trade`)
  await newcomer.getByLabel('Ticker').fill('aapl')
  await expectReasons(newcomer, {
    'Check Price': 'Set up a username first.',
    'Open Position': 'Set up a username first.',
  })

  const [maria, newTrader] = [await people.join(), await people.join()]
  await publish(maria, 'AAPL', 187.52)
  const page = await openAs(maria, '/trade')
  await expectReasons(page, {
    'Check Price': 'Enter a ticker first.',
    'Open Position': 'Enter a ticker and check its price.',
  })
  await page.getByLabel('Ticker').fill('msft')
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expectReasons(page, { 'Open Position': 'Choose how long you plan to hold it.' })
  await page.getByLabel('Position length').selectOption('1-3 weeks')
  await expectReasons(page, { 'Open Position': 'Write notes of at least 10 characters.' })
  await page.getByLabel('Open notes').fill('A reason that is long enough.')
  await expectReasons(page, { 'Open Position': 'Confirm that you cannot close on the same day.' })
  await page.getByRole('checkbox').check()
  await expectReasons(page, {})

  await page.goto(`${product.url}/search`)
  await expectReasons(page, { Search: 'Type at least 3 letters to search.' })
  await page.getByLabel('Username').fill(newTrader.username)
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expectReasons(page, { Subscribe: 'Nobody can subscribe to this trader now.' })

  await page.goto(`${product.url}/trader/${newTrader.username}`)
  await expectReasons(page, {
    'Subscribing not available': `@${newTrader.username} takes no new subscribers at the moment. What is open, only subscribers see.`,
  })
  await page.goto(`${product.url}/trader/${maria.username}`)
  await expectReasons(page, {
    'You cannot subscribe to yourself':
      'Your closed positions and their average. What is open, only your subscribers see.',
  })
  await follow(maria, newTrader)
  await page.goto(`${product.url}/trader/${newTrader.username}`)
  await expectReasons(page, {
    'Subscribed!':
      'The positions are on your home page, and each open and close comes by mail unless you have switched that off.',
  })

  await page.goto(`${product.url}/account`)
  await expectReasons(page, {
    Save: 'Change the text first.',
    'Continue on Stripe': 'Agree to the terms first.',
    Submit: 'Write at least 10 characters.',
  })

  await page.goto(product.url)
  await page.getByRole('button', { name: /AAPL/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close Position' }).click()
  await expectReasons(page, { Submit: 'Wait for the next day, in UTC.' })

  // A Saturday: a position can be closed all the same, and none can be opened.
  await setTime(new Date('2026-11-21T15:00:00.000Z'))
  const later = await openAs({ ...maria, session: await signInByCode(product, maria.email) }, '/')
  await later.getByRole('button', { name: /AAPL/ }).click()
  const dialog = later.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Close Position' }).click()
  await expectReasons(later, { Submit: 'Check the price.' })
  await dialog.getByRole('button', { name: 'Check Price' }).click()
  await expectReasons(later, { Submit: 'Write notes of at least 10 characters.' })
  await dialog.getByLabel('Close notes').fill('A reason that is long enough.')
  await expectReasons(later, {})
  await later.goto(`${product.url}/trade`)
  await expectReasons(later, {
    'Check Price': 'Enter a ticker first.',
    'Open Position': 'The market is closed.',
  })
})
