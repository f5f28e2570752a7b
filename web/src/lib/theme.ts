import { THEME_STORAGE_KEY } from '@tradepost/contract/storage-keys'

/** The choices in the order of the menu (docs/specification.md section 1). */
export const THEME_CHOICES = ['light', 'dark', 'system'] as const
export type ThemeChoice = (typeof THEME_CHOICES)[number]

/** `--background` of both themes, for the browser's own frame; styles.test.ts holds them against the style sheet. */
export const FRAME_COLOURS = { dark: '#0b0d12', light: '#fcfcfc' } as const

const prefersLight = '(prefers-color-scheme: light)'
/** Paper is white, whatever was chosen. */
const printed = 'print'

/** The choice on this device; dark until there is one. The default is never written (rule G-12). */
export function chosenTheme(): ThemeChoice {
  let stored: string | null = null
  try {
    stored = localStorage.getItem(THEME_STORAGE_KEY)
  } catch {
    // Storage can be forbidden; then nothing was chosen.
  }
  return THEME_CHOICES.find((choice) => choice === stored) ?? 'dark'
}

/** Stores a choice and paints it. */
export function chooseTheme(choice: ThemeChoice): void {
  try {
    localStorage.setItem(THEME_STORAGE_KEY, choice)
  } catch {
    // Then it holds for this page only.
  }
  paintTheme(choice)
}

/** Sets the class that the colours hang on, and marks the choice in every theme menu of the page. */
export function paintTheme(choice: ThemeChoice): void {
  const isWanted = choice === 'light' || (choice === 'system' && matchMedia(prefersLight).matches)
  const light = isWanted || matchMedia(printed).matches
  const root = document.documentElement
  root.classList.toggle('light', light)
  root.classList.toggle('dark', !light)
  root.dataset.theme = choice
  document
    .querySelector('meta[name=theme-color]')
    ?.setAttribute('content', light ? FRAME_COLOURS.light : FRAME_COLOURS.dark)
}

/** Repaints when the system changes, the page is printed, or another tab chooses. */
export function followTheme(): void {
  for (const query of [prefersLight, printed])
    matchMedia(query).addEventListener('change', () => paintTheme(chosenTheme()))
  addEventListener('storage', (event) => {
    // A null key is clear(): the choice may be gone.
    if (event.key === THEME_STORAGE_KEY || event.key === null) paintTheme(chosenTheme())
  })
}
