import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html } from '../../html.ts'
import { statusOf } from '../connect/states.ts'
import type { StripePart } from '../control/stripe-part.ts'
import { balanceOf, type Holding } from '../ledger/ledger.ts'
import type { Account } from '../model/connect.ts'
import type { Payout, Transfer } from '../model/payments.ts'
import type { TaxSettings } from '../model/tax.ts'
import { invalid } from '../refusals/errors.ts'
import { COUNTRIES, countryName, wholeAddress } from '../tax/location.ts'
import { isActive, setHeadOffice, settingsOf } from '../tax/settings.ts'
import { transact } from '../world/transact.ts'
import type { Tx } from '../world/world.ts'
import { countryField } from './buyer-form.ts'
import { CRUMBS, day, money, readForm, sendForm, sendNotice, staleForm, tokenField } from './forms.ts'

/** So many payouts, and so many transfers, are shown. */
const SHOWN = 50

type Address = { Params: { account: string; token: string } }

/** Serves the replacement of a connected account's Express Dashboard. */
export function serveExpress(app: FastifyInstance, { world }: StripePart): void {
  app.get<Address>('/express/:account/:token', (request, reply) => {
    const found = transact(world, null, (tx) => look(tx, request.params))
    if (found === null) return expired(reply)
    const path = `/express/${request.params.account}/${request.params.token}`
    return sendForm(reply, {
      title: found.account.display_name ?? found.account.id,
      here: 'Dashboard',
      crumbs: CRUMBS,
      body: dashboard(found, officeForm(found.settings, tokenField(world, path), path)),
    })
  })

  app.post<Address>('/express/:account/:token', (request, reply) => {
    const { account, token } = request.params
    const path = `/express/${account}/${token}`
    const form = readForm(world, request, path)
    if (form === null) return staleForm(reply)
    const saved = transact(world, null, (tx) => {
      if (look(tx, request.params) === null) return false
      saveOffice(tx, account, form)
      return true
    })
    return saved ? reply.redirect(path, 303) : expired(reply)
  })
}

function expired(reply: FastifyReply): FastifyReply {
  return sendNotice(reply, 410, 'This link has expired', 'Open the dashboard again from where you came.')
}

/** @throws ApiError for a country that the form does not offer */
function saveOffice(tx: Tx, account: string, form: Record<string, string>): void {
  const { country = '' } = form
  if (!COUNTRIES.includes(country)) throw invalid('Choose a country.', 'country')
  const part = (name: string) => form[name]?.trim().slice(0, 100) || undefined
  const [city, state, postal_code] = [part('city'), part('state'), part('postal_code')]
  setHeadOffice(tx, account, wholeAddress({ country, city, state, postal_code }))
}

type Found = {
  account: Account
  settings: TaxSettings
  balance: Holding[]
  payouts: Payout[]
  transfers: Transfer[]
}

function look(tx: Tx, { account: id, token }: Address['Params']): Found | null {
  const login = tx.objects.find('sandbox.login', token)
  if (login?.account !== id || login.expires < tx.now) return null
  return {
    account: tx.need('v2.core.account', id),
    settings: settingsOf(tx, id),
    balance: balanceOf(tx, id),
    payouts: tx.objects.list('payout', { parent: id }, { limit: SHOWN }),
    transfers: tx.objects.list('transfer', { parent: id }, { limit: SHOWN }),
  }
}

function dashboard({ account, settings, balance, payouts, transfers }: Found, form: Html): Html {
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
<ul class="things card">${transfers.map(transferItem)}</ul>
<h2>Tax settings</h2>${taxSection(settings, form)}`
}

/** The head office, by which the account may owe the tax of what is sold through it. */
function taxSection(settings: TaxSettings, form: Html): Html {
  const office = settings.head_office
  const where = [office?.city, office?.state, office?.postal_code].filter((part) => (part ?? '') !== '')
  return html`<div class="narrow"><p>${
    isActive(settings)
      ? `Active. Head office: ${[...where, countryName(office?.country ?? '')].join(', ')}.`
      : 'Pending: the address of the head office is missing.'
  }</p>${form}</div>`
}

function officeForm({ head_office: office }: TaxSettings, token: Html, path: string): Html {
  return html`<form class="card panel" method="post" action="${path}">${token}<div class="fields">
${countryField(office?.country ?? '')}
<label>City<input name="city" autocomplete="off" maxlength="100" value="${office?.city ?? ''}"></label>
<div class="pair"><label>State<input name="state" autocomplete="off" maxlength="50" value="${office?.state ?? ''}"></label>
<label>Postal code<input name="postal_code" autocomplete="off" maxlength="20" value="${office?.postal_code ?? ''}"></label></div>
</div><button class="main">Save head office</button></form>`
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
