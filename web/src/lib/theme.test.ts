import { afterEach, expect, test, vi } from 'vitest'
import { chooseTheme, chosenTheme } from './theme.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
  document.documentElement.removeAttribute('class')
})

test('colours that were chosen in any version are found again, since their key never changes', () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  expect(chosenTheme()).toBe('dark')
  localStorage.setItem('tradepost-theme', 'light')
  expect(chosenTheme()).toBe('light')
  chooseTheme('dark')
  expect(localStorage.getItem('tradepost-theme')).toBe('dark')
})
