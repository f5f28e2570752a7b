/*
 * The page /docs comes as HTML and is read without a script (ADR 0095). This one shows what needs a script, keeps the address of
 * the call that was unfolded last, and loads what tries a call when somebody wants to try one.
 */
import { reloadIfGone } from '../lib/gone-part.ts'
import './api-docs.css'

const FAILURE = 'The call could not be loaded. Please try again in a moment.'
const part = document.querySelector('#api-docs')

function keepAddress({ target }: Event): void {
  const call = target instanceof HTMLDetailsElement && target.open ? target.lastElementChild?.id : undefined
  if (call) history.replaceState(history.state, '', `#${call}`)
}

/** Unfolds the call that the address names. Browsers do that themselves, except where they restore a scroll position after a reload. */
function unfoldAddressed(): void {
  const call = document.getElementById(location.hash.slice(1))?.closest('details')
  if (!call || call.open) return
  call.open = true
  call.scrollIntoView()
}

async function tryOut(button: HTMLElement): Promise<void> {
  if (button.hasAttribute('aria-busy')) return
  button.setAttribute('aria-busy', 'true')
  button.parentElement?.querySelector('[role=alert]')?.remove()
  try {
    const { openForm } = await import('./try-call.ts').catch(async (failure) => {
      await reloadIfGone(failure)
      throw failure
    })
    await openForm(button)
  } catch {
    const failure = document.createElement('p')
    failure.setAttribute('role', 'alert')
    failure.textContent = FAILURE
    button.after(failure)
  }
  button.removeAttribute('aria-busy')
}

for (const element of document.querySelectorAll<HTMLElement>('[data-scripted]')) element.hidden = false
unfoldAddressed()
// This event does not bubble.
part?.addEventListener('toggle', keepAddress, { capture: true })
part?.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest<HTMLElement>('[data-try]')
  if (button) void tryOut(button)
})
