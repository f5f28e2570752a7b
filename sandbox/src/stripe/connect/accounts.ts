import { balanceOf } from '../ledger/ledger.ts'
import type { Account } from '../model/connect.ts'
import { ApiError, invalid } from '../refusals/errors.ts'
import {
  anything,
  arrayOf,
  fields,
  flag,
  type ObjectOf,
  optional,
  record,
  text,
  whole,
} from '../shape/shape.ts'
import { PAGING_V2, pageV2 } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type CallWith, type Route, route } from '../wire/route.ts'
import { emitThin, iso } from '../world/thin-events.ts'
import type { Tx } from '../world/world.ts'
import { closeAccount, fieldsOf, relatedTo } from './states.ts'

const PLAIN = {
  contact_email: optional(text),
  contact_phone: optional(text),
  display_name: optional(text),
  dashboard: optional(text),
}

const CREATE = {
  ...PLAIN,
  identity: optional(whole(fields({ country: optional(text) }))),
  configuration: optional(
    whole(
      fields({ recipient: optional(anything), merchant: optional(anything), customer: optional(anything) }),
    ),
  ),
  defaults: optional(whole(fields({ responsibilities: optional(record) }))),
  metadata: optional(anything),
  include: optional(arrayOf(text)),
}

const UPDATE = {
  ...PLAIN,
  identity: optional(record),
  defaults: optional(record),
  metadata: optional(anything),
  include: optional(arrayOf(text)),
}

const CLOSE = { applied_configurations: optional(arrayOf(text)) }

export const accountRoutes: Route[] = [
  route('POST /v2/core/accounts', CREATE, create),
  route('GET /v2/core/accounts', { ...PAGING_V2, closed: optional(flag) }, (call) => {
    const closed = call.params.closed === true
    const found = pageV2(call, 'v2.core.account', { equal: { closed } })
    return { ...found, data: found.data.map((one) => shown(one)) }
  }),
  route('GET /v2/core/accounts/:id', { include: optional(arrayOf(text)) }, ({ tx, params, id }) =>
    shown(tx.need('v2.core.account', id), params.include),
  ),
  route('POST /v2/core/accounts/:id', UPDATE, update),
  route('POST /v2/core/accounts/:id/close', CLOSE, close),
]

function create({ tx, params }: CallWith<typeof CREATE>): unknown {
  const { configuration, identity, defaults } = params
  if (configuration?.merchant !== undefined || configuration?.customer !== undefined)
    throw invalid('The payments sandbox knows the recipient configuration only.', 'configuration')
  const wantsTransfers = configuration?.recipient !== undefined
  if (wantsTransfers && identity?.country === undefined)
    throw invalid('identity.country is required for the recipient configuration.', 'identity.country')
  const account = tx.make('v2.core.account', {
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
  tx.add(account, { notes: { state: 'new' } })
  emitThin(tx, 'v2.core.account.created', relatedTo(account))
  return shown(account, params.include)
}

function update({ tx, params, id }: CallWith<typeof UPDATE>): unknown {
  const account = open(tx, id)
  const before = tx.change(account, {
    ...plain(params),
    metadata: mergeMetadata(account.metadata, params.metadata),
    identity: { ...account.identity, ...params.identity },
    defaults: { ...account.defaults, ...params.defaults },
  })
  if (Object.keys(before).length > 0) emitThin(tx, 'v2.core.account.updated', relatedTo(account))
  return shown(account, params.include)
}

/** Refused while money lies there, and for less than all that the account is (docs.stripe.com/api/v2/core/accounts/close). */
function close({ tx, params, id }: CallWith<typeof CLOSE>): unknown {
  const account = open(tx, id)
  const given = params.applied_configurations ?? []
  if (!account.applied_configurations.every((one) => given.includes(one)))
    throw invalid('All configurations of the account must be passed in.', 'applied_configurations')
  if (balanceOf(tx, id).some(({ amount }) => amount !== 0))
    throw new ApiError(400, {
      type: 'cannot_proceed',
      code: 'account_balance_not_zero',
      message: 'This account cannot be closed while its balance is not zero.',
    })
  closeAccount(tx, account)
  return shown(account)
}

function open(tx: Tx, id: string): Account {
  const account = tx.need('v2.core.account', id)
  if (account.closed) throw invalid(`The account ${id} is closed.`, null, 'account_closed')
  return account
}

/** The plain fields that were given. */
function plain({ contact_email, contact_phone, display_name, dashboard }: ObjectOf<typeof PLAIN>) {
  const plain = { contact_email, contact_phone, display_name, dashboard }
  return Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined))
}

function responsibilities(given: Record<string, unknown> | undefined): Record<string, unknown> {
  return {
    fees_collector: 'application',
    losses_collector: 'application',
    ...given,
    requirements_collector: 'stripe',
  }
}

/** The parts that were asked for; Stripe leaves the others out (docs.stripe.com/api-includable-response-values). */
function shown(account: Account, include: string[] = []): Record<string, unknown> {
  const wanted = new Set(include)
  const copy: Record<string, unknown> = { ...account }
  const { configuration: _configuration, ...bare } = copy
  if (wanted.has('configuration.recipient') && account.configuration.recipient !== undefined)
    bare.configuration = { recipient: account.configuration.recipient }
  for (const name of ['requirements', 'defaults', 'identity']) {
    if (!wanted.has(name)) delete bare[name]
  }
  return bare
}
