import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** The properties that distinguish one look from another. */
function lookOf(button: Locator): Promise<string> {
  return button.evaluate((element) => {
    const { backgroundColor, borderTopWidth, color, textDecorationLine } = getComputedStyle(element)
    return [backgroundColor, borderTopWidth, color, textDecorationLine].join(' ')
  })
}

test('a button has six looks and four sizes, and shows a spinner while it is busy', {
  tag: ['@CONST-14', '@CONST-15', '@CONST-16'],
}, async ({ openStyles }) => {
  const page = await openStyles()
  const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
  const variants = ['default', 'destructive', 'outline', 'secondary', 'ghost', 'link']
  await expect(button('default')).toBeVisible()
  const looks = await Promise.all(variants.map((variant) => lookOf(button(variant))))
  expect(new Set(looks).size).toBe(variants.length)

  const sizes = page.locator('div').filter({ has: page.getByRole('button', { name: 'lg', exact: true }) })
  const size = (name: string) => sizes.last().getByRole('button', { name, exact: true })
  const boxes = await Promise.all(['sm', 'default', 'lg', 'Search'].map((name) => size(name).boundingBox()))
  expect(boxes.map((box) => box?.height)).toEqual([36, 40, 48, 40])
  expect(boxes.at(-1)?.width).toBe(40)

  const busy = button('Save')
  await expect(busy).toHaveAttribute('aria-busy', 'true')
  await expect(busy.locator('[data-slot=spinner]')).toBeVisible()
  await expect(busy.getByText('Save')).toBeHidden()
  // The shortest text leaves it as wide as any other: there is a least width.
  expect((await busy.boundingBox())?.width).toBe(96)
})

test('the page of all primitives is not in the product', async ({ openAs, openStyles, product }) => {
  const styles = await openStyles()
  await expect(styles.getByRole('heading', { level: 2, name: 'Cards, tables, states' })).toBeVisible()
  const page = await openAs(null, '/')
  const answer = await page.goto(`${product.url}/styles`)
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  const manifest = readFileSync(join(import.meta.dirname, '../web/dist/.vite/manifest.json'), 'utf8')
  expect(manifest).toContain('src/screens/trade.tsx')
  expect(manifest).not.toMatch(/development|styles-page|drawer-sample/)
})
