import type { FastifyInstance } from 'fastify'
import { type Html, html } from '../../html.ts'
import { RETRY_ENDING, RETRY_ENDINGS, type RetryEnding } from '../billing/retries.ts'
import { TERMS_URL } from '../checkout/terms-consent.ts'
import { statusOf } from '../connect/states.ts'
import { runAction } from '../control/actions.ts'
import type { StripePart } from '../control/stripe-part.ts'
import { CHAOS, type Chaos } from '../delivery/chaos.ts'
import { isInTrial, itemOf, LIVE, type Subscription } from '../model/billing.ts'
import { fields, nullable, number, text } from '../shape/shape.ts'
import { isActive, settingsOf } from '../tax/settings.ts'
import { transact } from '../world/transact.ts'
import type { Tx } from '../world/world.ts'
import { button, count, PATH, row, SHOWN } from './control-parts.ts'
import { paymentSection } from './control-payments.ts'
import { CRUMBS, day, readForm, sendForm, staleForm, tokenField } from './forms.ts'

const ENDING_WORDS: Record<RetryEnding, string> = {
  cancel: 'Cancel it',
  unpaid: 'Mark it unpaid',
  past_due: 'Leave it past due',
}

type Query = { Querystring: { done?: string; failed?: string; after?: string } }

type Action = { Params: { action: string } }

/** The desk from which a person or a test moves this small world of payments. */
export function serveControl(app: FastifyInstance, part: StripePart): void {
  app.get<Query>(PATH, (request, reply) => {
    const { done, failed, after } = request.query
    const token = tokenField(part.world, PATH)
    const body = transact(part.world, null, (tx) => sections(tx, token, after))
    const note =
      done !== undefined
        ? html`<p class="done" role="status">${done}</p>`
        : failed !== undefined
          ? html`<p class="refused" role="alert">${failed}</p>`
          : null
    return sendForm(reply, {
      title: 'Payments control',
      here: 'Control',
      crumbs: CRUMBS,
      body: html`${note}${body}`,
    })
  })

  app.post<Action>(`${PATH}/:action`, async (request, reply) => {
    const form = readForm(part.world, request, PATH)
    if (form === null) return staleForm(reply)
    const { ok, words } = await runAction(part, request.params.action, form)
    return reply.redirect(`${PATH}?${ok ? 'done' : 'failed'}=${encodeURIComponent(words)}`, 303)
  })

  app.get(`${PATH}/reset`, (_request, reply) =>
    sendForm(reply, {
      title: 'Reset',
      crumbs: [...CRUMBS, { href: PATH, text: 'Control' }],
      body: html`<div class="narrow card panel">
<p>This empties the payments sandbox: customers, subscriptions, payments, connected accounts, webhook endpoints and test
clocks are gone, and its clock is back at the present.</p>
<p>Whoever uses it must set itself up again afterwards, and finds none of what it made before.</p>
<div class="actions">${button(tokenField(part.world, PATH), 'reset', 'Empty everything', {})}
<a class="tall" href="${PATH}">Keep everything</a></div></div>`,
    }),
  )
}

function sections(tx: Tx, token: Html, after: string | undefined): Html {
  return html`${billingSections(tx, token)}${paymentSection(tx, token, after)}
${accountSection(tx, token)}${deliverySection(tx, token)}${resetSection()}`
}

function accountSection(tx: Tx, token: Html): Html {
  const rows = tx.objects.list('v2.core.account', { equal: { closed: false } }, { limit: SHOWN })
  const total = tx.objects.count('v2.core.account', { equal: { closed: false } })
  return html`<section><h2>Connected accounts</h2>${count(total)}<ul class="things card">${rows.map((one) =>
    row(one.id, one.display_name ?? one.id, html`Transfers ${statusOf(one)}`, [
      button(token, 'restrict', 'Restrict payouts', { id: one.id }, one.id),
      button(token, 'restore', 'Restore payouts', { id: one.id }, one.id),
      button(token, 'reject', 'Reject account', { id: one.id }, one.id),
      button(token, 'close', 'Close account', { id: one.id }, one.id),
    ]),
  )}</ul></section>`
}

const countRow = fields({ n: number })

const deliveryRow = fields({
  id: number,
  event: text,
  state: text,
  attempts: number,
  status: nullable(number),
  remark: nullable(text),
})

function deliverySection(tx: Tx, token: Html): Html {
  const rows = tx.db.all(
    deliveryRow,
    'SELECT id, event, state, attempts, status, remark FROM deliveries ORDER BY id DESC LIMIT ?',
    SHOWN,
  )
  const total = tx.db.get(countRow, 'SELECT count(*) AS n FROM deliveries')?.n ?? 0
  return html`<section><h2>Deliveries</h2>
<p>What happens to the next event that is sent to a webhook:</p>
<div class="actions">${button(token, 'duplicate', 'Duplicate', {})}${button(token, 'reorder', 'Reorder', {})}
${button(token, 'drop', 'Drop', {})}</div>
${chaosForm(tx, token)}
${count(total)}<ul class="things card">${rows.map((one) => {
    const type = String(tx.objects.look(one.event)?.type ?? one.event)
    const outcome = one.status === null ? (one.remark ?? '') : `answered ${one.status}`
    const words = html`${one.state}, ${one.attempts} ${one.attempts === 1 ? 'attempt' : 'attempts'}${
      outcome === '' ? null : `, ${outcome}`
    }`
    const id = `delivery-${one.id}`
    return row(id, type, words, [button(token, 'resend', 'Resend', { id: String(one.id) }, id)])
  })}</ul></section>`
}

function resetSection(): Html {
  return html`<section><h2>Begin anew</h2>
<form class="actions" method="get" action="${PATH}/reset"><button>Reset</button></form></section>`
}

function chaosForm(tx: Tx, token: Html): Html {
  const chaos = tx.settings.read(CHAOS)
  const field = (label: string, name: keyof Chaos, step: string, most: string) =>
    html`<label>${label}<input name="${name}" type="number" min="0" max="${most}" step="${step}" value="${chaos[name]}"></label>`
  return html`<details class="card"><summary>Disturbed by a seed</summary>
<form method="post" action="${PATH}/chaos">${token}<div class="settings">
${field('Seed', 'seed', '1', '2147483647')}${field('Jitter in ms', 'jitterMs', '1', '60000')}
${field('Share sent twice', 'duplicate', '0.01', '1')}${field('Share held back', 'reorder', '0.01', '1')}
${field('Share lost once', 'drop', '0.01', '1')}<button>Apply</button></div></form></details>`
}

/** The part of the desk that moves time, and shows what lives by it. */
function billingSections(tx: Tx, token: Html): Html {
  return html`${clockSection(tx, token)}${subscriptionSection(tx, token)}${endingSection(tx, token)}${termsSection(tx, token)}${taxSection(tx, token)}`
}

function clockSection(tx: Tx, token: Html): Html {
  const at = new Date(tx.now * 1000)
  const words = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'full',
    timeStyle: 'medium',
    timeZone: 'UTC',
  }).format(at)
  return html`<section><h2>Clock</h2>
<p>It is <time datetime="${at.toISOString()}">${words}</time> UTC for payments.</p>
<div class="actions">${button(token, 'advance', 'Advance 1 hour', { seconds: '3600' })}
${button(token, 'advance', 'Advance 1 day', { days: '1' })}
${button(token, 'advance', 'Advance 1 month', { months: '1' })}</div></section>`
}

function subscriptionSection(tx: Tx, token: Html): Html {
  const rows = tx.objects.list('subscription', { among: { status: LIVE } }, { limit: SHOWN })
  const total = tx.objects.count('subscription', { among: { status: LIVE } })
  return html`<section><h2>Subscriptions</h2>${count(total)}<ul class="things card">${rows.map((one) => {
    const item = itemOf(one)
    const customer = tx.objects.find('customer', one.customer)
    const name = tx.objects.find('product', item.price.product)?.name ?? one.id
    const fails = tx.objects.notes('subscription', one.id).failNext === true
    const draft = draftUntil(tx, one)
    const words = html`${customer?.email ?? one.customer}, ${one.status.replace('_', ' ')}, ${
      one.cancel_at !== null ? 'ends' : isInTrial(one) ? 'free until' : 'renews'
    } ${day(one.cancel_at ?? item.current_period_end)}${one.test_clock === null ? null : ', on a test clock'}${fails ? ', next renewal fails' : null}${
      draft === null ? null : html`, invoice is a draft until ${hour(draft)}`
    }`
    return row(one.id, name, words, [button(token, 'fail-next', 'Fail next renewal', { id: one.id }, one.id)])
  })}</ul></section>`
}

/** When the invoice of a renewal that has just begun leaves its draft; null when none is waiting for that. */
function draftUntil(tx: Tx, { latest_invoice }: Subscription): number | null {
  const invoice = latest_invoice === null ? null : tx.objects.find('invoice', latest_invoice)
  return invoice?.automatically_finalizes_at ?? null
}

function hour(seconds: number): Html {
  const at = new Date(seconds * 1000)
  const words = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  }).format(at)
  return html`<time datetime="${at.toISOString()}">${words}</time>`
}

/** The account's setting of Billing, "if all retries fail" (docs.stripe.com/billing/revenue-recovery). */
function endingSection(tx: Tx, token: Html): Html {
  const chosen = tx.settings.read(RETRY_ENDING)
  return html`<section><h2>When the last try fails</h2>
<p>What becomes of a subscription then: now <strong>${ENDING_WORDS[chosen].toLowerCase()}</strong>.</p>
<div class="actions">${RETRY_ENDINGS.filter((one) => one !== chosen).map((ending) =>
    button(token, 'retry-ending', ENDING_WORDS[ending], { ending }),
  )}</div></section>`
}

/** The account's public details; without an address of its terms no checkout can ask for consent to them. */
function termsSection(tx: Tx, token: Html): Html {
  const url = tx.settings.read(TERMS_URL)
  return html`<section><h2>Address of the terms</h2>
<p>In the account’s public details: ${url === '' ? 'none' : html`<strong>${url}</strong>`}.</p>
<div class="actions">${
    url === ''
      ? button(token, 'terms-url', 'Give the terms an address', { url: TERMS_URL.otherwise })
      : button(token, 'terms-url', 'Take the address away', { url: '' })
  }</div></section>`
}

/** The platform's tax settings, which are pending without a head office. */
function taxSection(tx: Tx, token: Html): Html {
  const active = isActive(settingsOf(tx, null))
  return html`<section><h2>Tax settings</h2>
<p>The platform’s are <strong>${active ? 'active' : 'pending'}</strong>.</p>
<div class="actions">${
    active
      ? button(token, 'tax-settings', 'Make them pending', { status: 'pending' })
      : button(token, 'tax-settings', 'Make them active', { status: 'active' })
  }</div></section>`
}
