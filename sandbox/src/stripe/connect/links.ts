import type { Login, Ticket } from '../model/connect.ts'
import { checkUrl, inaccessible, invalid } from '../refusals/errors.ts'
import { fields, optional, text, whole } from '../shape/shape.ts'
import { randomText } from '../store/ids.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import { iso } from '../world/thin-events.ts'
import type { Tx } from '../world/world.ts'
import { mayReceive } from './may-receive.ts'
import { statusOf } from './states.ts'

/** How long an onboarding link can be opened. */
const LINK_SECONDS = 5 * 60
const LOGIN_SECONDS = 5 * 60

const useCaseDetails = optional(fields({ refresh_url: text, return_url: optional(text) }))

const LINK = {
  account: text,
  use_case: whole(fields({ type: text, account_onboarding: useCaseDetails, account_update: useCaseDetails })),
}

export const linkRoutes: Route[] = [
  route('POST /v2/core/account_links', LINK, createLink),
  route('POST /v1/accounts/:id/login_links', {}, createLogin),
  route('GET /v1/account', {}, ({ tx }) =>
    tx.make('account', {
      id: 'acct_1SandboxPlatform0',
      business_type: 'company',
      charges_enabled: true,
      country: 'US',
      default_currency: 'usd',
      details_submitted: true,
      email: null,
      payouts_enabled: true,
      type: 'standard',
    }),
  ),
]

function createLink({ tx, params }: CallWith<typeof LINK>): unknown {
  const account = tx.need('v2.core.account', params.account, 'account')
  if (account.closed) throw invalid(`The account ${account.id} is closed.`, 'account', 'account_closed')
  if (statusOf(account) === 'rejected')
    throw invalid('An account link cannot be created for this account because the account has been rejected.')
  const useCase = params.use_case
  const details = useCase.type === 'account_update' ? useCase.account_update : useCase.account_onboarding
  if (details === undefined)
    throw invalid(`use_case.${useCase.type} is required.`, `use_case.${useCase.type}`)
  for (const url of [details.refresh_url, details.return_url ?? details.refresh_url]) {
    checkUrl(url, 'use_case')
  }
  const token = randomText(32)
  const ticket: Ticket = {
    id: token,
    object: 'sandbox.onboarding',
    account: account.id,
    use_case: useCase.type,
    expires: tx.now + LINK_SECONDS,
    used: false,
    refresh_url: details.refresh_url,
    return_url: details.return_url ?? details.refresh_url,
  }
  tx.add(ticket)
  return {
    object: 'v2.core.account_link',
    account: account.id,
    created: iso(tx.now),
    expires_at: iso(ticket.expires),
    livemode: false,
    url: `${tx.pages}/onboard/${token}`,
    use_case: useCase,
  }
}

/** One way into the account's own dashboard, for accounts that may receive money. */
function createLogin({ tx, id }: Call): unknown {
  const account = tx.objects.find('v2.core.account', id)
  if (account === null || account.closed) throw inaccessible(id)
  if (account.dashboard !== 'express')
    throw invalid('Cannot create a login link for an account that is not an Express Dashboard account.')
  if (!mayReceive(account))
    throw invalid('Cannot create a login link for an account that has not completed onboarding.')
  const token = randomText(32)
  const login: Login = {
    id: token,
    object: 'sandbox.login',
    account: id,
    expires: tx.now + LOGIN_SECONDS,
    used: false,
  }
  tx.add(login)
  return { object: 'login_link', created: tx.now, url: `${tx.pages}/express/${id}/${token}` }
}

/**
 * Takes an onboarding link at its first opening.
 * @returns the ticket and whether it may still be used; null when there is none
 */
export function useTicket(tx: Tx, token: string): { ticket: Ticket; valid: boolean } | null {
  const ticket = tx.objects.find('sandbox.onboarding', token)
  if (ticket === null) return null
  const valid = !ticket.used && ticket.expires >= tx.now
  if (valid) tx.change(ticket, { used: true })
  return { ticket, valid }
}
