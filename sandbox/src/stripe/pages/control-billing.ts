import { type Html, html } from '../../html.ts'
import { RETRY_ENDING, RETRY_ENDINGS, type RetryEnding } from '../billing/retries.ts'
import { itemOf, LIVE, type Subscription } from '../model/billing.ts'
import type { Tx } from '../world/world.ts'
import { button, count, row, SHOWN } from './control-parts.ts'
import { day } from './forms.ts'

/** The part of the desk that moves time, and shows what lives by it. */
export function billingSections(tx: Tx, token: Html): Html {
  return html`${clockSection(tx, token)}${subscriptionSection(tx, token)}${endingSection(tx, token)}`
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
      one.cancel_at === null ? 'renews' : 'ends'
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

const ENDING_WORDS: Record<RetryEnding, string> = {
  cancel: 'Cancel it',
  unpaid: 'Mark it unpaid',
  past_due: 'Leave it past due',
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
