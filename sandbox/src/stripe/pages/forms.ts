import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import qs from 'qs'
import { type Html, html } from '../../html.ts'
import { type Page, sendPage } from '../../page.ts'
import { text } from '../shape/shape.ts'
import { makeSettings, type Setting } from '../store/settings.ts'
import type { World } from '../world/world.ts'

/** The rules of the payment pages beyond the shared ones. */
const PAYMENT_CSS = `
.narrow { max-width: 520px; }
.panel { padding: 18px 20px; margin: 0 0 20px; }
.panel > :last-child { margin-bottom: 0; }
.panel > .fields, .panel > .actions { margin-top: 0; }
.panel > .actions + p { margin-top: 12px; }
.panel > details { padding: 0; }
.fields input { font-weight: 400; color: var(--text); }
.narrow > section > .card { margin-bottom: 12px; }
.amount { font-size: 28px; font-weight: 600; font-variant-numeric: tabular-nums; margin: 0 0 4px; }
.fields { display: grid; gap: 14px; margin: 16px 0; }
.fields label { display: block; font-weight: 600; font-size: 15px; }
.agree { display: flex; gap: 10px; align-items: flex-start; margin: 0 0 16px; font-size: 15px; }
.agree input { flex: none; width: 20px; height: 20px; min-height: 0; margin: 1px 0 0; accent-color: var(--mark); }
fieldset.fields { border: 0; padding: 0; }
.fields legend { padding: 0; margin-bottom: 8px; font-weight: 600; }
.fields select { font-weight: 400; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; }
button.main { background: var(--mark); border-color: var(--mark); color: var(--page); font-weight: 600; }
button.main:hover { background: var(--text); border-color: var(--text); }
.wide { width: 100%; }
.actions .field { flex: 1 1 100%; font-weight: 600; font-size: 15px; }
.actions select { font-weight: 400; }
h1 + section, p + section { margin-top: 24px; }
h2 + .things { margin-top: 8px; }
.actions + details.card { margin: 16px 0; }
[aria-invalid="true"] { border-color: var(--down); }
.cards { margin: 0; padding: 0 0 12px; list-style: none; font-size: 14px; }
.cards li { padding: 4px 0; }
.cards code { font-weight: 600; white-space: nowrap; }
details > form { padding-bottom: 16px; }
`

const SECRET: Setting<string> = { name: 'page-secret', shape: text, otherwise: '' }

/** Draws the key of the form tokens once; it stays in the database, so that open pages outlive a restart. */
export function preparePages(world: World): void {
  const settings = makeSettings(world.db)
  if (settings.read(SECRET) === '') settings.write(SECRET, randomBytes(32).toString('base64url'))
}

/** The token of all forms on one page; a page elsewhere cannot know it. */
function formToken(world: World, page: string): string {
  const secret = makeSettings(world.db).read(SECRET)
  return createHmac('sha256', secret).update(page).digest('base64url')
}

/** The hidden field that carries the token. */
export function tokenField(world: World, page: string): Html {
  return html`<input type="hidden" name="token" value="${formToken(world, page)}">`
}

/**
 * Reads a form that was posted from `page`.
 * @returns its fields, or null when it did not come from there
 */
export function readForm(world: World, request: FastifyRequest, page: string): Record<string, string> | null {
  const { origin, host } = request.headers
  // Pages are sent with `Referrer-Policy: no-referrer`, so a browser sends `null` as the origin of their forms.
  if (origin !== undefined && origin !== 'null' && origin !== `http://${host}`) return null
  const fields = qs.parse(String(request.body ?? ''), { depth: 0, parameterLimit: 50 })
  const form = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  const expected = Buffer.from(formToken(world, page))
  const given = Buffer.from(form.token ?? '')
  return expected.length === given.length && timingSafeEqual(expected, given) ? form : null
}

/** Sends a payment page: its forms may lead here and to the origins of these addresses, and nowhere else. */
export function sendForm(reply: FastifyReply, page: Page, leadsTo: (string | null)[] = []): FastifyReply {
  const origins = leadsTo.filter((url) => url !== null).map((url) => new URL(url).origin)
  const policy = { 'form-action': ["'self'", ...new Set(origins)].join(' '), ...page.policy }
  return sendPage(reply, { ...page, policy, styles: PAYMENT_CSS })
}

/** Sends the notice of a page that cannot be shown any more, with the way on where there is one. */
export function sendNotice(
  reply: FastifyReply,
  status: number,
  title: string,
  words: string,
  onward: string | null = null,
  label = 'Go on',
): FastifyReply {
  return sendForm(reply, {
    title,
    status,
    crumbs: CRUMBS,
    body: html`<p>${words}</p>${onward === null ? null : html`<p><a class="tall" href="${onward}">${label}</a></p>`}`,
  })
}

export function staleForm(reply: FastifyReply): FastifyReply {
  return sendNotice(
    reply,
    403,
    'This form is out of date',
    'Go back, load the page again and repeat what you did.',
  )
}

export const CRUMBS = [{ href: '/', text: 'Sandbox' }]

/** An amount in cents as people read it. */
export function money(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(
    cents / 100,
  )
}

/** A day as people read it; the sandbox's days are UTC. */
export function day(seconds: number): Html {
  const date = new Date(seconds * 1000)
  const words = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(date)
  return html`<time datetime="${date.toISOString()}">${words}</time>`
}
