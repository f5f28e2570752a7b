import type { FastifyInstance } from 'fastify'
import { type Html, html } from '../../html.ts'
import { statusOf } from '../connect/states.ts'
import type { StripePart } from '../control/stripe-part.ts'
import { balanceOf, type Holding } from '../ledger/ledger.ts'
import type { Account } from '../model/connect.ts'
import type { Payout, Transfer } from '../model/payments.ts'
import { transact } from '../world/transact.ts'
import type { Tx } from '../world/world.ts'
import { CRUMBS, day, money, sendForm, sendNotice } from './forms.ts'

/** So many payouts, and so many transfers, are shown. */
const SHOWN = 50

type Address = { Params: { account: string; token: string } }

/** Serves the replacement of a connected account's Express Dashboard. */
export function serveExpress(app: FastifyInstance, { world }: StripePart): void {
  app.get<Address>('/express/:account/:token', (request, reply) => {
    const found = transact(world, null, (tx) => look(tx, request.params))
    if (found === null)
      return sendNotice(reply, 410, 'This link has expired', 'Open the dashboard again from where you came.')
    return sendForm(reply, {
      title: found.account.display_name ?? found.account.id,
      here: 'Dashboard',
      crumbs: CRUMBS,
      body: dashboard(found),
    })
  })
}

type Found = { account: Account; balance: Holding[]; payouts: Payout[]; transfers: Transfer[] }

function look(tx: Tx, { account: id, token }: Address['Params']): Found | null {
  const login = tx.objects.find('sandbox.login', token)
  if (login?.account !== id || login.expires < tx.now) return null
  return {
    account: tx.need('v2.core.account', id),
    balance: balanceOf(tx, id),
    payouts: tx.objects.list('payout', { parent: id }, { limit: SHOWN }),
    transfers: tx.objects.list('transfer', { parent: id }, { limit: SHOWN }),
  }
}

function dashboard({ account, balance, payouts, transfers }: Found): Html {
  return html`<p class="quiet">This page stands in for Stripe’s Express Dashboard. What arrives is pending for two days, and goes to the
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
<ul class="things card">${payouts.map(payoutItem)}</ul>
<h2>Received</h2>${transfers.length === 0 ? html`<p class="quiet">Nothing yet.</p>` : null}
<ul class="things card">${transfers.map(transferItem)}</ul>`
}

function payoutItem({ amount, currency, status, arrival_date }: Payout): Html {
  return html`<li><h3>${money(amount, currency)}</h3><p class="quiet">${
    status === 'paid' ? 'Arrived' : 'Arrives'
  } ${day(arrival_date)}</p></li>`
}

function transferItem({ amount, amount_reversed, currency, created }: Transfer): Html {
  return html`<li><h3>${money(amount, currency)}</h3><p class="quiet">${day(created)}${
    amount_reversed > 0 ? `, ${money(amount_reversed, currency)} taken back` : null
  }</p></li>`
}
