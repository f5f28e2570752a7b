import type { FastifyInstance } from 'fastify'
import { type Html, html } from '../../html.ts'
import { useTicket } from '../connect/links.ts'
import { type AccountState, moveAccount, statusOf } from '../connect/states.ts'
import type { StripePart } from '../control/stripe-part.ts'
import type { Account } from '../model/connect.ts'
import { randomText } from '../store/ids.ts'
import { emitThin } from '../world/thin-events.ts'
import { transact } from '../world/transact.ts'
import type { Tx } from '../world/world.ts'
import { CRUMBS, readForm, sendForm, sendNotice, staleForm, tokenField } from './forms.ts'

type Id = { Params: { token: string } }

/** The state of the account after each button of the page; leaving changes nothing. */
const OUTCOMES: Record<string, AccountState> = {
  complete: 'ready',
  review: 'review',
  document: 'document',
  reject: 'rejected',
}

const STANDING: Record<string, string> = {
  active: 'Everything is in order: this account can receive money.',
  pending: 'The details are being reviewed.',
  restricted: 'Details are missing before this account can receive money.',
  rejected: 'The application was rejected.',
  unsupported: 'This account cannot receive money.',
}

const NO_LINK = ['No such link', 'This link leads to no account.'] as const

/** Hosted onboarding. A link opens once; what it opens lasts until the person leaves. */
export function serveOnboarding(app: FastifyInstance, { world }: StripePart): void {
  app.get<Id>('/onboard/:token', (request, reply) => {
    const leads = transact(world, null, (tx) => openLink(tx, request.params.token))
    return leads === null ? sendNotice(reply, 404, ...NO_LINK) : reply.redirect(leads, 303)
  })

  app.get<Id>('/onboard/visit/:token', (request, reply) => {
    const found = transact(world, null, (tx) => {
      const visit = tx.objects.find('sandbox.visit', request.params.token)
      return visit === null ? null : { visit, account: tx.need('v2.core.account', visit.account) }
    })
    if (found === null) return sendNotice(reply, 404, ...NO_LINK)
    const path = `/onboard/visit/${found.visit.id}`
    const body = visitBody(found.account, path, tokenField(world, path))
    return sendForm(reply, { title: 'Get paid', here: 'Onboarding', crumbs: CRUMBS, body }, [
      found.visit.return_url,
    ])
  })

  app.post<Id>('/onboard/visit/:token', (request, reply) => {
    const { token } = request.params
    const form = readForm(world, request, `/onboard/visit/${token}`)
    if (form === null) return staleForm(reply)
    const leads = transact(world, null, (tx) => leave(tx, token, form.outcome ?? ''))
    return leads === null ? sendNotice(reply, 404, ...NO_LINK) : reply.redirect(leads, 303)
  })
}

/** Where an onboarding link leads: to a visit at its first opening, then back to who made it. */
function openLink(tx: Tx, token: string): string | null {
  const found = useTicket(tx, token)
  if (found === null) return null
  if (!found.valid) return found.ticket.refresh_url
  const visit = { ...found.ticket, id: randomText(32), object: 'sandbox.visit' as const }
  tx.add(visit)
  return `/onboard/visit/${visit.id}`
}

/** Ends a visit as its person chose. @returns where they go, or null when there is no such visit */
function leave(tx: Tx, token: string, outcome: string): string | null {
  const visit = tx.objects.find('sandbox.visit', token)
  if (visit === null) return null
  const account = tx.need('v2.core.account', visit.account)
  const state = OUTCOMES[outcome]
  if (state !== undefined) moveAccount(tx, account, state)
  emitThin(tx, 'v2.core.account_link.returned', null, {
    account_id: account.id,
    configurations: account.applied_configurations,
    use_case: visit.use_case,
  })
  return visit.return_url
}

function visitBody(account: Account, path: string, token: Html): Html {
  const name = account.display_name ?? account.contact_email ?? account.id
  return html`<div class="narrow">
<p>Stripe would ask <strong>${name}</strong> for a name, an address and a bank account here. This sandbox asks for
nothing: choose how it ends.</p>
<p class="quiet">${STANDING[statusOf(account)] ?? ''}</p>
<form class="card panel" method="post" action="${path}">${token}
<div class="actions">
<button class="main" name="outcome" value="complete">Complete onboarding</button>
<button name="outcome" value="review">Submit for review</button>
<button name="outcome" value="leave">Leave</button>
</div>
<p class="quiet">A review takes a day of the sandbox’s time and ends well.</p>
<details><summary>Other endings</summary><div class="actions">
<button name="outcome" value="document">Ask for a document</button>
<button name="outcome" value="reject">Reject the application</button>
</div></details></form></div>`
}
