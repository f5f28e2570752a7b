import { randomText } from '../store/ids.ts'
import type { Stored } from '../store/objects.ts'
import { inaccessible, invalid } from '../wire/errors.ts'
import type { Call, Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import { iso } from './events.ts'
import { type Account, mayReceive } from './types.ts'

/** How long an onboarding link can be opened. */
const LINK_SECONDS = 5 * 60
const LOGIN_SECONDS = 5 * 60

/** A page address that carries its own right: kept under its secret, opened once or until it expires. */
export type Ticket = Stored & {
  account: string
  use_case: string
  expires: number
  used: boolean
  refresh_url: string
  return_url: string
}

export const linkRoutes: Route[] = [
  { endpoint: 'POST /v2/core/account_links', reads: ['account', 'use_case'], answer: createLink },
  { endpoint: 'POST /v1/accounts/:id/login_links', reads: [], answer: createLogin },
  {
    endpoint: 'GET /v1/account',
    reads: [],
    answer: ({ tx }) =>
      tx.make<Stored>('account', {
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
  },
]

type UseCase = {
  type: string
  account_onboarding?: { refresh_url: string; return_url?: string }
  account_update?: { refresh_url: string; return_url?: string }
}

function createLink({ tx, params }: Call): unknown {
  const account = tx.need<Account>('v2.core.account', String(params.account), 'account')
  if (account.closed) throw invalid(`The account ${account.id} is closed.`, 'account', 'account_closed')
  const useCase = params.use_case as UseCase
  const details = useCase.type === 'account_update' ? useCase.account_update : useCase.account_onboarding
  if (details === undefined)
    throw invalid(`use_case.${useCase.type} is required.`, `use_case.${useCase.type}`)
  for (const url of [details.refresh_url, details.return_url ?? details.refresh_url]) {
    if (!/^https?:\/\/[^\s]+$/.test(url)) throw invalid('Not a valid URL', 'use_case', 'url_invalid')
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
  const account = tx.objects.find(id) as Account | null
  if (account?.object !== 'v2.core.account' || account.closed) throw inaccessible(id)
  if (account.dashboard !== 'express')
    throw invalid('Cannot create a login link for an account that is not an Express Dashboard account.')
  if (!mayReceive(account))
    throw invalid('Cannot create a login link for an account that has not completed onboarding.')
  const token = randomText(32)
  tx.add({ id: token, object: 'sandbox.login', account: id, expires: tx.now + LOGIN_SECONDS, used: false })
  return { object: 'login_link', created: tx.now, url: `${tx.pages}/express/${id}/${token}` }
}

/**
 * Takes an onboarding link at its first opening.
 * @returns the ticket and whether it may still be used; null when there is none
 */
export function useTicket(tx: Tx, token: string): { ticket: Ticket; valid: boolean } | null {
  const ticket = tx.objects.find(token) as Ticket | null
  if (ticket?.object !== 'sandbox.onboarding') return null
  const valid = !ticket.used && ticket.expires >= tx.now
  if (valid) tx.change(ticket, { used: true })
  return { ticket, valid }
}
