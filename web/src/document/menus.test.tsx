import { cleanup, render, screen } from '@testing-library/react'
import { THEME_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { chosenTheme, followTheme, paintTheme } from '../lib/theme.ts'
import { ThemeMenu } from '../ui/theme-menu.tsx'
import { wireMenus } from './menus.ts'

const system = { light: false, listeners: new Set<() => void>() }

beforeAll(() => {
  vi.stubGlobal('matchMedia', (query: string) => ({
    get matches() {
      return query === '(prefers-color-scheme: light)' && system.light
    },
    addEventListener: (_: string, listener: () => void) => system.listeners.add(listener),
  }))
  wireMenus(document)
  followTheme()
})
beforeEach(() => {
  localStorage.clear()
  system.light = false
  paintTheme(chosenTheme())
})
afterEach(cleanup)

function choose(label: string): void {
  render(<ThemeMenu />)
  screen.getByLabelText(label).click()
}

const classes = () => document.documentElement.className

test('the theme is dark by default, also where the system prefers light, and nothing is written', () => {
  system.light = true
  paintTheme(chosenTheme())
  expect(classes()).toBe('dark')
  expect(localStorage.length).toBe(0)
})

test('a choice is painted and stored under the one key', () => {
  choose('Light')
  expect(classes()).toBe('light')
  expect({ ...localStorage }).toEqual({ [THEME_STORAGE_KEY]: 'light' })
})

test('the choice of system follows the system', () => {
  choose('System')
  expect(classes()).toBe('dark')
  system.light = true
  for (const listener of system.listeners) listener()
  expect(classes()).toBe('light')
})

test('a choice in another tab is painted here', () => {
  localStorage.setItem(THEME_STORAGE_KEY, 'light')
  dispatchEvent(new StorageEvent('storage', { key: THEME_STORAGE_KEY }))
  expect(classes()).toBe('light')
})

test('nonsense under the key counts as nothing chosen', () => {
  localStorage.setItem(THEME_STORAGE_KEY, 'purple')
  expect(chosenTheme()).toBe('dark')
})

test('an opened menu marks the choice, Escape closes it', () => {
  localStorage.setItem(THEME_STORAGE_KEY, 'system')
  const { container } = render(<ThemeMenu />)
  const menu = container.querySelector('details')
  menu?.setAttribute('open', '')
  menu?.dispatchEvent(new Event('toggle'))
  expect(screen.getByLabelText<HTMLInputElement>('System').checked).toBe(true)
  // It ends a composition first, in whatever field.
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true }))
  expect(menu?.hasAttribute('open')).toBe(true)
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
  expect(menu?.hasAttribute('open')).toBe(false)
})
