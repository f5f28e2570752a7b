import { type Html, html } from '../../html.ts'
import type { Input } from '../control/read-input.ts'

/** Where the control desk is. */
export const PATH = '/control'
/** So many of each list are shown. */
export const SHOWN = 20

/** One button that does one thing to one object; screen readers distinguish it by the object that describes it. */
export function button(
  token: Html,
  action: string,
  label: string,
  fields: Input,
  about: string | null = null,
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${PATH}/${action}">${token}${hidden}<button${
    about === null ? null : html` aria-describedby="${about}"`
  }>${label}</button></form>`
}

/** One object of a list: what it is, how it stands, and what can be done to it. */
export function row(id: string, title: string, words: Html, buttons: Html[]): Html {
  return html`<li class="row"><div><h3 id="${id}">${title}</h3><p>${words}</p></div>
${buttons.length === 0 ? null : html`<div class="actions">${buttons}</div>`}</li>`
}

/** The total, where the list does not show it. */
export function count(total: number): Html | null {
  if (total === 0) return html`<p class="quiet">None yet.</p>`
  return total > SHOWN ? html`<p class="quiet">The newest ${SHOWN} of ${total}.</p>` : null
}
