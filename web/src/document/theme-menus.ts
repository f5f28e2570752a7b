import { chooseTheme, chosenTheme, THEME_CHOICES } from '../lib/theme.ts'

/*
 * Every theme menu of every page works through these listeners, so the prerendered landing needs no React for it and
 * the app no second copy. The markup is ui/theme-menu.tsx: a <details> with one radio a choice.
 */

/** Listens on the whole document; may run before the body exists. */
export function wireThemeMenus(page: Document): void {
  page.addEventListener('toggle', (event) => markChoice(event.target), true)
  page.addEventListener('change', (event) => {
    const radio = event.target
    if (!(radio instanceof HTMLInputElement) || !menuOf(radio)) return
    const choice = THEME_CHOICES.find((known) => known === radio.value)
    if (choice) chooseTheme(choice)
  })
  page.addEventListener('pointerdown', (event) => closeMenus(page, event.target))
  page.addEventListener('focusin', (event) => closeMenus(page, event.target))
  page.addEventListener('keydown', (event) => {
    const menu = event.key === 'Escape' ? page.querySelector('details[data-theme-menu][open]') : null
    if (!menu) return
    menu.removeAttribute('open')
    menu.querySelector('summary')?.focus()
  })
}

function menuOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('details[data-theme-menu]') : null
}

function markChoice(target: EventTarget | null): void {
  const chosen = chosenTheme()
  for (const radio of menuOf(target)?.querySelectorAll('input') ?? []) radio.checked = radio.value === chosen
}

function closeMenus(page: Document, except: EventTarget | null): void {
  for (const menu of page.querySelectorAll('details[data-theme-menu][open]')) {
    if (menu !== menuOf(except)) menu.removeAttribute('open')
  }
}
