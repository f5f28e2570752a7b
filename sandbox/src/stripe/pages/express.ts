import type { FastifyInstance } from 'fastify'
import { html } from '../../html.ts'
import type { Invoice } from '../billing/types.ts'
import { statusOf } from '../connect/states.ts'
import type { Account } from '../connect/types.ts'
import type { Charge, Payout, Transfer } from '../payments/types.ts'
import { balanceOf } from '../store/ledger.ts'
import type { Stored } from '../store/objects.ts'
import type { StripePart } from '../stripe-part.ts'
import { transact } from '../world.ts'
import { CRUMBS, day, money, sendForm, sendNotice } from './forms.ts'

type PaidCharge = Charge & {
  created: number
  description: string
  payment_method_details: { card: { last4: string } }
}

type Login = Stored & { account: string; expires: number }

function bought({ lines }: Invoice): string {
  return lines.data.map(({ description }) => description ?? '').join(', ')
}

/** Pages that only show: a connected account's dashboard, a hosted invoice, a receipt. */
export function serveViews(app: FastifyInstance, { world }: StripePart): void {
  app.get<{ Params: { account: string; token: string } }>('/express/:account/:token', (request, reply) => {
    const found = transact(world, null, (tx) => {
      const login = tx.objects.find(request.params.token) as Login | null
      const valid = login?.object === 'sandbox.login' && login.account === request.params.account
      if (!valid || login.expires < tx.now) return null
      return {
        account: tx.need<Account>('v2.core.account', login.account),
        balance: balanceOf(tx, login.account),
        payouts: tx.objects.list('payout', { parent: login.account }, { limit: 50 }) as Payout[],
        transfers: tx.objects.list('transfer', { parent: login.account }, { limit: 50 }) as (Transfer & {
          created: number
        })[],
      }
    })
    if (found === null)
      return sendNotice(reply, 410, 'This link has expired', 'Open the dashboard again from where you came.')
    const { account, balance, payouts, transfers } = found
    return sendForm(reply, {
      title: account.display_name ?? account.id,
      here: 'Dashboard',
      crumbs: CRUMBS,
      body: html`<p class="quiet">This page stands in for Stripe’s Express Dashboard. What arrives is pending for two days, and goes to the
bank by itself at the beginning of a day.</p>
<dl class="facts"><dt>Transfers</dt><dd>${statusOf(account)}</dd>
<dt>Balance</dt><dd>${balance.length === 0 ? 'Nothing yet' : balance.map((one) => html`${money(one.amount, one.currency)} `)}</dd></dl>
${balance.map(
  (one) => html`<dl class="facts"><dt>Available</dt><dd>${money(one.available, one.currency)}</dd>
<dt>Pending</dt><dd>${money(one.pending, one.currency)}</dd></dl>`,
)}
${
  balance.some(({ available }) => available < 0)
    ? html`<p class="refused">The balance is negative: what comes next makes up for it before anything is paid out.</p>`
    : null
}
<h2>Payouts</h2>${payouts.length === 0 ? html`<p class="quiet">None yet.</p>` : null}
<ul class="things card">${payouts.map(
        (one) =>
          html`<li><h3>${money(one.amount, one.currency)}</h3><p class="quiet">${
            one.status === 'paid' ? 'Arrived' : 'Arrives'
          } ${day(one.arrival_date)}</p></li>`,
      )}</ul>
<h2>Received</h2>${transfers.length === 0 ? html`<p class="quiet">Nothing yet.</p>` : null}
<ul class="things card">${transfers.map(
        (one) =>
          html`<li><h3>${money(one.amount, one.currency)}</h3><p class="quiet">${day(one.created)}${
            one.amount_reversed > 0 ? `, ${money(one.amount_reversed, one.currency)} taken back` : null
          }</p></li>`,
      )}</ul>`,
    })
  })

  app.get<{ Params: { id: string; secret: string } }>('/i/:id/:secret', (request, reply) => {
    const invoice = transact(world, null, (tx) => {
      const found = tx.objects.find(request.params.id) as Invoice | null
      return found?.object === 'invoice' && tx.objects.hidden(found.id).secret === request.params.secret
        ? found
        : null
    })
    if (invoice === null) return sendNotice(reply, 404, 'No such invoice', 'This link leads to no invoice.')
    return sendForm(reply, {
      title: `Invoice ${invoice.number ?? ''}`,
      here: 'Invoice',
      crumbs: CRUMBS,
      body: html`<p class="amount">${money(invoice.amount_due, invoice.currency)}</p>
<p>${invoice.status === 'open' ? 'This invoice is open. It can be paid in the customer portal.' : `This invoice is ${invoice.status}.`}</p>
<dl class="facts"><dt>For</dt><dd>${bought(invoice)}</dd><dt>Billed to</dt><dd>${invoice.customer_email ?? invoice.customer}</dd>
<dt>Date</dt><dd>${day(invoice.created)}</dd></dl>
<p class="quiet">This page stands in for Stripe’s hosted invoice.</p>`,
    })
  })

  app.get<{ Params: { id: string } }>('/receipt/:id', (request, reply) => {
    const charge = transact(world, null, (tx) => tx.objects.find(request.params.id) as PaidCharge | null)
    if (charge?.object !== 'charge')
      return sendNotice(reply, 404, 'No such receipt', 'This link leads to no payment.')
    return sendForm(reply, {
      title: 'Receipt',
      crumbs: CRUMBS,
      body: html`<p class="amount">${money(charge.amount, charge.currency)}</p>
<p>${charge.status === 'succeeded' ? 'Paid' : 'Not paid'}, ${day(charge.created)}${
        charge.amount_refunded > 0 ? `, ${money(charge.amount_refunded, charge.currency)} refunded` : null
      }.</p>
<dl class="facts"><dt>For</dt><dd>${charge.description}</dd>
<dt>Card</dt><dd>ending in ${charge.payment_method_details.card.last4}</dd></dl>
<p class="quiet">This page stands in for Stripe’s receipt.</p>`,
    })
  })
}
