import { html } from './html.ts'
import type { Page } from './page.ts'
import type { PartCard } from './part.ts'

/** The front page: which parts run here, and where they answer. */
export function indexPage(cards: PartCard[]): Page {
  const parts = cards.map(
    ({ title, summary, links }) => html`<li class="card">
<h2>${title}</h2>
<p>${summary}</p>
<ul class="links">${links.map(({ href, text }) => html`<li><a class="tall" href="${href}">${text}</a></li>`)}</ul>
</li>`,
  )
  return {
    title: 'Sandbox',
    crumbs: [],
    body: html`<p>The outside world in small. Each part stands in for a service that is not configured and speaks that
service's own language, so that everything can be tried without an account anywhere.</p>
<ul class="parts">${parts}</ul>`,
  }
}
