import { type Html, html } from '../../html.ts'
import type { Charge } from '../model/payments.ts'
import type { Tx } from '../world/world.ts'
import { button, count, PATH, row, SHOWN } from './control-parts.ts'
import { day, money } from './forms.ts'

const PAID = { equal: { status: 'succeeded' } }

/** The payments, so many on a page. @param after the last payment of the page before; none shows the newest */
export function paymentSection(tx: Tx, token: Html, after: string | undefined): Html {
  const known = after === undefined ? null : tx.objects.find('charge', after)
  const rows = tx.objects.list('charge', PAID, { limit: SHOWN + 1, after: known?.id })
  const last = rows.length > SHOWN ? rows[SHOWN - 1] : undefined
  return html`<section id="payments"><h2>Payments</h2>${known === null ? count(tx.objects.count('charge', PAID)) : null}
<ul class="things card">${rows.slice(0, SHOWN).map((one) => paymentRow(tx, token, one))}</ul>
${
  known === null && last === undefined
    ? null
    : html`<p class="actions">${
        known === null ? null : html`<a class="tall" href="${PATH}#payments">Newest payments</a>`
      }${
        last === undefined
          ? null
          : html` <a class="tall" href="${PATH}?after=${last.id}#payments">Older payments</a>`
      }</p>`
}</section>`
}

function paymentRow(tx: Tx, token: Html, one: Charge): Html {
  const state = one.disputed ? ', disputed' : one.refunded ? ', refunded' : null
  const email = tx.objects.find('customer', one.customer)?.email ?? one.customer
  const back =
    !one.refunded && one.amount_refunded > 0 ? `, ${money(one.amount_refunded, one.currency)} refunded` : null
  const buttons = [
    button(token, 'dispute', 'Dispute', { id: one.id }, one.id),
    button(token, 'inquire', 'Inquire', { id: one.id }, one.id),
    button(token, 'warn-of-fraud', 'Warn of fraud', { id: one.id }, one.id),
    button(token, 'refund', 'Refund', { id: one.id }, one.id),
  ]
  const words = html`${email}, ${day(one.created)}${back}${state}`
  return row(one.id, money(one.amount, one.currency), words, state === null ? buttons : [])
}
