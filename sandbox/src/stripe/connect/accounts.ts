import { balanceOf } from '../store/ledger.ts'
import { ApiError, invalid } from '../wire/errors.ts'
import { pageV2 } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import type { Call, Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import { emitThin, iso } from './events.ts'
import { closeAccount, fieldsOf, relatedTo } from './states.ts'
import type { Account } from './types.ts'

const PLAIN = ['contact_email', 'contact_phone', 'display_name', 'dashboard'] as const

export const accountRoutes: Route[] = [
  {
    endpoint: 'POST /v2/core/accounts',
    reads: [...PLAIN, 'identity', 'configuration', 'defaults', 'metadata', 'include'],
    answer: create,
  },
  {
    endpoint: 'GET /v2/core/accounts',
    reads: ['limit', 'page', 'closed'],
    answer(call) {
      const closed = call.params.closed === true
      const page = pageV2(call, 'v2.core.account', { equal: { closed } })
      return { ...page, data: page.data.map((one) => shown(one as Account, [])) }
    },
  },
  {
    endpoint: 'GET /v2/core/accounts/:id',
    reads: ['include'],
    answer: ({ tx, params, id }) => shown(tx.need<Account>('v2.core.account', id), params.include),
  },
  {
    endpoint: 'POST /v2/core/accounts/:id',
    reads: [...PLAIN, 'identity', 'defaults', 'metadata', 'include'],
    answer: update,
  },
  { endpoint: 'POST /v2/core/accounts/:id/close', reads: ['applied_configurations'], answer: close },
]

function create({ tx, params }: Call): unknown {
  const configuration = params.configuration as
    | { recipient?: unknown; merchant?: unknown; customer?: unknown }
    | undefined
  if (configuration?.merchant !== undefined || configuration?.customer !== undefined)
    throw invalid('The payments sandbox knows the recipient configuration only.', 'configuration')
  const wantsTransfers = configuration?.recipient !== undefined
  const identity = params.identity as { country?: string } | undefined
  if (wantsTransfers && identity?.country === undefined)
    throw invalid('identity.country is required for the recipient configuration.', 'identity.country')
  const defaults = params.defaults as { responsibilities?: unknown } | undefined
  const account = tx.make<Account>('v2.core.account', {
    ...plain(params),
    applied_configurations: wantsTransfers ? ['recipient'] : [],
    closed: false,
    created: iso(tx.now),
    identity: {
      ...identity,
      ...(identity?.country !== undefined && { country: identity.country.toUpperCase() }),
    },
    defaults: { ...defaults, responsibilities: responsibilities(defaults?.responsibilities) },
    metadata: mergeMetadata(null, params.metadata),
    ...(wantsTransfers ? fieldsOf('new') : { configuration: {}, requirements: { entries: [] } }),
  })
  tx.add(account, { state: 'new' })
  emitThin(tx, 'v2.core.account.created', relatedTo(account))
  return shown(account, params.include)
}

function update({ tx, params, id }: Call): unknown {
  const account = open(tx, id)
  const before = tx.change(account, {
    ...plain(params),
    metadata: mergeMetadata(account.metadata, params.metadata),
    identity: { ...account.identity, ...(params.identity as object | undefined) },
    defaults: { ...account.defaults, ...(params.defaults as object | undefined) },
  })
  if (Object.keys(before).length > 0) emitThin(tx, 'v2.core.account.updated', relatedTo(account))
  return shown(account, params.include)
}

/** Refused while money lies there, and for less than all that the account is (docs.stripe.com/api/v2/core/accounts/close). */
function close({ tx, params, id }: Call): unknown {
  const account = open(tx, id)
  const given = (params.applied_configurations ?? []) as string[]
  if (!account.applied_configurations.every((one) => given.includes(one)))
    throw invalid('All configurations of the account must be passed in.', 'applied_configurations')
  if (balanceOf(tx, id).some(({ amount }) => amount !== 0))
    throw new ApiError(400, {
      type: 'cannot_proceed' as 'invalid_request_error',
      code: 'account_balance_not_zero',
      message: 'This account cannot be closed while its balance is not zero.',
    })
  closeAccount(tx, account)
  return shown(account, [])
}

function open(tx: Tx, id: string): Account {
  const account = tx.need<Account>('v2.core.account', id)
  if (account.closed) throw invalid(`The account ${id} is closed.`, null, 'account_closed')
  return account
}

function plain(params: Record<string, unknown>): Record<string, unknown> {
  const given = PLAIN.filter((name) => params[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, params[name]]))
}

function responsibilities(given: unknown): Record<string, unknown> {
  return {
    fees_collector: 'application',
    losses_collector: 'application',
    ...(given as object | undefined),
    requirements_collector: 'stripe',
  }
}

/** The parts that were asked for; Stripe leaves the others out (docs.stripe.com/api-includable-response-values). */
function shown(account: Account, include: unknown): Record<string, unknown> {
  const wanted = new Set(Array.isArray(include) ? (include as string[]) : [])
  const copy: Record<string, unknown> = { ...account }
  const { configuration: _configuration, ...bare } = copy
  if (wanted.has('configuration.recipient') && account.configuration.recipient !== undefined)
    bare.configuration = { recipient: account.configuration.recipient }
  for (const name of ['requirements', 'defaults', 'identity']) {
    if (!wanted.has(name)) delete bare[name]
  }
  return bare
}
