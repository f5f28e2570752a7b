import type { FastifyInstance } from 'fastify'
import { html } from '../../html.ts'
import { emitThin } from '../connect/events.ts'
import { type Ticket, useTicket } from '../connect/links.ts'
import { type AccountState, moveAccount, statusOf } from '../connect/states.ts'
import type { Account } from '../connect/types.ts'
import { randomText } from '../store/ids.ts'
import type { StripePart } from '../stripe-part.ts'
import { transact } from '../world.ts'
import { CRUMBS, readForm, sendForm, sendNotice, staleForm, tokenField } from './forms.ts'

type Id = { Params: { token: string } }

/** What each button of the page makes of the account; leaving makes nothing of it. */
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

/** Hosted onboarding. A link opens once; what it opens lasts until the person leaves. */
export function serveOnboarding(app: FastifyInstance, { world }: StripePart): void {
  app.get<Id>('/onboard/:token', (request, reply) => {
    const opened = transact(world, null, (tx) => {
      const found = useTicket(tx, request.params.token)
      if (found === null || !found.valid) return found
      const visit = { ...found.ticket, id: randomText(32), object: 'sandbox.visit' }
      tx.add(visit)
      return { ...found, visit: visit.id }
    })
    if (opened === null) return sendNotice(reply, 404, 'No such link', 'This link leads to no account.')
    return reply.redirect(
      'visit' in opened ? `/onboard/visit/${opened.visit}` : opened.ticket.refresh_url,
      303,
    )
  })

  app.get<Id>('/onboard/visit/:token', (request, reply) => {
    const found = transact(world, null, (tx) => {
      const visit = tx.objects.find(request.params.token) as Ticket | null
      if (visit?.object !== 'sandbox.visit') return null
      return { visit, account: tx.need<Account>('v2.core.account', visit.account) }
    })
    if (found === null) return sendNotice(reply, 404, 'No such link', 'This link leads to no account.')
    const { visit, account } = found
    const path = `/onboard/visit/${visit.id}`
    const name = account.display_name ?? account.contact_email ?? account.id
    return sendForm(
      reply,
      {
        title: 'Get paid',
        here: 'Onboarding',
        crumbs: CRUMBS,
        body: html`<div class="narrow">
<p>Stripe would ask <strong>${name}</strong> for a name, an address and a bank account here. This sandbox asks for
nothing: choose how it ends.</p>
<p class="quiet">${STANDING[statusOf(account)] ?? ''}</p>
<form class="card panel" method="post" action="${path}">${tokenField(world, path)}
<div class="actions">
<button class="main" name="outcome" value="complete">Complete onboarding</button>
<button name="outcome" value="review">Submit for review</button>
<button name="outcome" value="leave">Leave</button>
</div>
<p class="quiet">A review takes a day of the sandbox’s time and ends well.</p>
<details><summary>Other endings</summary><div class="actions">
<button name="outcome" value="document">Ask for a document</button>
<button name="outcome" value="reject">Reject the application</button>
</div></details></form></div>`,
      },
      [visit.return_url],
    )
  })

  app.post<Id>('/onboard/visit/:token', (request, reply) => {
    const form = readForm(world, request, `/onboard/visit/${request.params.token}`)
    if (form === null) return staleForm(reply)
    const leave = transact(world, null, (tx) => {
      const visit = tx.objects.find(request.params.token) as Ticket | null
      if (visit?.object !== 'sandbox.visit') return null
      const account = tx.need<Account>('v2.core.account', visit.account)
      const state = OUTCOMES[form.outcome ?? '']
      if (state !== undefined) moveAccount(tx, account, state)
      emitThin(tx, 'v2.core.account_link.returned', null, {
        account_id: account.id,
        configurations: account.applied_configurations,
        use_case: visit.use_case,
      })
      return visit.return_url
    })
    if (leave === null) return sendNotice(reply, 404, 'No such link', 'This link leads to no account.')
    return reply.redirect(leave, 303)
  })
}
