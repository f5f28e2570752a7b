import { chooseTheme, chosenTheme, THEME_CHOICES } from '../lib/theme.ts'
import { isComposing } from '../ui/composing.ts'

/*
 * Every menu of every page works through these listeners, so the prerendered landing needs no React for its theme menu and
 * the app no second copy. The markup is ui/menu.tsx: a <details>; in that of the theme one radio a choice.
 */

/** Listens on the whole document; may run before the body exists. */
export function wireMenus(page: Document): void {
  page.addEventListener('toggle', (event) => markChoice(event.target), true)
  page.addEventListener('change', (event) => {
    const radio = event.target
    if (!(radio instanceof HTMLInputElement) || radio.name !== 'theme' || !menuOf(radio)) return
    const choice = THEME_CHOICES.find((known) => known === radio.value)
    if (choice) chooseTheme(choice)
  })
  page.addEventListener('pointerdown', (event) => closeMenus(page, event.target))
  page.addEventListener('focusin', (event) => closeMenus(page, event.target))
  page.addEventListener('keydown', (event) => {
    const menu =
      event.key === 'Escape' && !isComposing(event) ? page.querySelector('details[data-menu][open]') : null
    if (!menu) return
    menu.removeAttribute('open')
    menu.querySelector('summary')?.focus()
  })
}

function menuOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('details[data-menu]') : null
}

function markChoice(target: EventTarget | null): void {
  const chosen = chosenTheme()
  for (const radio of menuOf(target)?.querySelectorAll<HTMLInputElement>('input[name=theme]') ?? [])
    radio.checked = radio.value === chosen
}

function closeMenus(page: Document, except: EventTarget | null): void {
  for (const menu of page.querySelectorAll('details[data-menu][open]')) {
    if (menu !== menuOf(except)) menu.removeAttribute('open')
  }
}
