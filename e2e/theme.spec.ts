import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const KEY = 'tradepost-theme'

async function choose(page: Page, label: 'Light' | 'Dark' | 'System'): Promise<void> {
  await page.locator('summary[aria-label=Theme]:visible').click()
  const choices = page.getByRole('group', { name: 'Theme' }).filter({ visible: true })
  await expect(choices.locator('label')).toHaveText(['Light', 'Dark', 'System'])
  await choices.getByText(label).click()
  await expect(choices.getByRole('radio', { name: label })).toBeChecked()
  await page.keyboard.press('Escape')
}

/** The visible theme: the scheme that scroll bars and controls are drawn in, and a page that is dark or bright. */
async function expectPainted(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await expect(page.locator('html')).toHaveClass(theme)
  await expect(page.locator('html')).toHaveCSS('color-scheme', theme)
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const lightness = Number(/oklch\(([\d.]+)/.exec(background)?.[1])
  if (theme === 'light') expect(lightness).toBeGreaterThan(0.9)
  else expect(lightness).toBeLessThan(0.25)
}

function stored(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => ({ ...localStorage }))
}

test.use({ colorScheme: 'light' })

test('the theme is dark at first, then what was chosen, on the landing page and after', {
  tag: ['@THEME-01', '@THEME-02', '@THEME-03', '@THEME-04', '@CONST-24'],
}, async ({ openAs }) => {
  const page = await openAs(null, '/')
  await expectPainted(page, 'dark')
  expect(await stored(page)).toEqual({})

  await choose(page, 'Light')
  await expectPainted(page, 'light')
  expect(await stored(page)).toEqual({ [KEY]: 'light' })
  // Light from the first moment of the next document, before anything can be painted.
  await page.addInitScript(() =>
    new MutationObserver((_, observer) => {
      if (!document.body) return
      observer.disconnect()
      document.documentElement.setAttribute('data-first-theme', document.documentElement.className)
    }).observe(document, { childList: true, subtree: true }),
  )
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-first-theme', 'light')
  await expectPainted(page, 'light')

  await choose(page, 'Dark')
  await expectPainted(page, 'dark')
  expect(await stored(page)).toEqual({ [KEY]: 'dark' })

  await choose(page, 'System')
  await expectPainted(page, 'light')
  expect(await stored(page)).toEqual({ [KEY]: 'system' })
  for (const colorScheme of ['dark', 'light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectPainted(page, colorScheme)
  }
  // The same choice on another page, where the app runs.
  await page.getByRole('link', { name: 'Login' }).click()
  await expect(page.getByRole('heading', { name: 'Log in or sign up' })).toBeVisible()
  // The form that came with the document has made place for the app's.
  await expect(page.locator('#early')).toHaveCount(0)
  await page.locator('summary[aria-label=Theme]').click()
  await expect(page.getByRole('radio', { name: 'System' })).toBeChecked()
  await page.emulateMedia({ colorScheme: 'light' })
  await expectPainted(page, 'light')
})

test('the menu of the shell changes the theme, and another tab follows', async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/leaderboard')
  await expect(page.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await expectPainted(page, 'dark')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await choose(page, 'Light')
  await expectPainted(page, 'light')
  await expectPainted(other, 'light')
  expect((await stored(page))[KEY]).toBe('light')
})

test('a printed page is light and without navigation, and dark again afterwards', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/leaderboard')
  const heading = page.getByRole('heading', { name: 'Leaderboard' })
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await expect(heading).toBeVisible()
  await expect(navigation).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expectPainted(page, 'light')
  await expect(heading).toBeVisible()
  await expect(navigation).toBeHidden()
  await expect(page.locator('summary[aria-label=Theme]:visible')).toHaveCount(0)
  await page.emulateMedia({ media: 'screen' })
  await expectPainted(page, 'dark')
  await expect(navigation).toBeVisible()
  expect(await stored(page)).not.toHaveProperty(KEY)
})
