import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { linkedText, MAIL_POLICY } from './mail-html.ts'
import type { Message } from './message-store.ts'

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const INDEX = { href: '/', text: 'Sandbox' }
const MAILBOX = { href: '/mail', text: 'Mailbox' }

export type List = {
  messages: Message[]
  /** The address the list is narrowed to. */
  to: string | null
  /** Whether there are older messages than those shown. */
  more: boolean
}

/** The list of messages, newest first. */
export function listPage({ messages, to, more }: List): Page {
  const last = messages.at(-1)
  return {
    title: 'Mailbox',
    crumbs: [INDEX],
    policy: { 'form-action': "'self'" },
    body: html`<div class="bar">
<form method="get" action="/mail" role="search">
<label>Recipient<input type="text" inputmode="email" name="to" value="${to}" placeholder="all recipients" autocomplete="off"
 autocapitalize="none" spellcheck="false"></label>
<button type="submit">Show</button>
</form>
<a class="tall" href="${listAddress(to)}">Look for new mail</a>
</div>
${messages.length > 0 ? html`<ol class="rows card">${messages.map(row)}</ol>` : emptyList(to)}
${more && last ? html`<p><a class="tall" href="${listAddress(to, last.id)}">Older messages</a></p>` : null}`,
  }
}

function listAddress(to: string | null, before: string | null = null): string {
  const query = new URLSearchParams({ ...(to && { to }), ...(before && { before }) }).toString()
  return query ? `/mail?${query}` : '/mail'
}

function row({ id, to, subject, receivedAt }: Message): Html {
  return html`<li><a href="/mail/${id}">
<span class="subject">${subject || '(no subject)'}</span>
<span class="to">to ${to}</span>
${timeOf(receivedAt)}
</a></li>`
}

function emptyList(to: string | null): Html {
  if (to)
    return html`<div class="card empty"><h2>Nothing for ${to}</h2><p><a href="/mail">Show all mail</a></p></div>`
  return html`<div class="card empty"><h2>No mail yet</h2>
<p>Every mail that would have gone out arrives here instead, whoever it is for.</p></div>`
}

/** One message: who, when, the HTML part in a frame, the text part, the headers. */
export function messagePage(message: Message): Page {
  const { id, to, from, subject, text, receivedAt } = message
  return {
    title: subject || '(no subject)',
    here: 'Message',
    crumbs: [INDEX, MAILBOX],
    policy: { 'frame-src': "'self'" },
    body: html`<dl class="facts">
<dt>From</dt><dd>${from}</dd>
<dt>To</dt><dd><a href="${listAddress(to)}">${to}</a></dd>
<dt>Received</dt><dd>${timeOf(receivedAt)}</dd>
</dl>
${
  message.html
    ? html`<section aria-labelledby="as-html"><h2 id="as-html">HTML</h2><div class="card"><iframe
 src="/mail/${id}/html" title="The message" sandbox="${MAIL_POLICY.sandbox}"></iframe></div></section>`
    : null
}
${text ? html`<section aria-labelledby="as-text"><h2 id="as-text">Plain text</h2><pre class="card">${linkedText(text)}</pre></section>` : null}
<section class="card"><details><summary>Headers</summary><dl class="facts">${Object.entries(
      message.headers,
    ).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></details></section>`,
  }
}

/** The page of a message that has made room for newer ones, or was deleted. */
export function missingPage(): Page {
  return {
    title: 'Message not found',
    status: 404,
    crumbs: [INDEX, MAILBOX],
    body: html`<p>It was deleted, has made room for newer mail, or the sandbox was started again since.
<a href="/mail">See what is in the mailbox.</a></p>`,
  }
}

/** In the zone of this machine, which is the reader's: the sandbox never runs elsewhere. */
function timeOf(instant: string): Html {
  return html`<time datetime="${instant}">${TIME.format(new Date(instant))}</time>`
}
