import { balanceOf, nextPayoutTime } from '../ledger/ledger.ts'
import type { Account, CapabilityStatus, StatusDetail } from '../model/connect.ts'
import { emitThin, type Related } from '../world/thin-events.ts'
import type { Tx } from '../world/world.ts'

/** Where a connected account stands on its way to receiving money. */
export type AccountState = 'new' | 'document' | 'review' | 'ready' | 'restricted' | 'rejected'

const REVIEW_SECONDS = 86_400

type Shape = { status: CapabilityStatus; details: StatusDetail[]; wants: string[] }

const NEEDS_INFO: StatusDetail = { code: 'requirements_past_due', resolution: 'provide_info' }

const SHAPES: Record<AccountState, Shape> = {
  new: {
    status: 'restricted',
    details: [NEEDS_INFO],
    wants: [
      'identity.individual.given_name',
      'identity.individual.surname',
      'configuration.recipient.default_outbound_destination',
    ],
  },
  document: {
    status: 'restricted',
    details: [NEEDS_INFO],
    wants: ['identity.individual.documents.primary_verification'],
  },
  review: {
    status: 'pending',
    details: [{ code: 'requirements_pending_verification', resolution: 'no_resolution' }],
    wants: [],
  },
  ready: { status: 'active', details: [], wants: [] },
  restricted: {
    status: 'restricted',
    details: [NEEDS_INFO],
    wants: ['identity.individual.id_numbers.us_ssn'],
  },
  rejected: {
    status: 'rejected',
    details: [{ code: 'rejected_other', resolution: 'contact_stripe' }],
    wants: [],
  },
}

/** The fields of an account in this state. */
export function fieldsOf(state: AccountState): Pick<Account, 'configuration' | 'requirements'> {
  const { status, details, wants } = SHAPES[state]
  return {
    configuration: {
      recipient: {
        applied: true,
        capabilities: { stripe_balance: { stripe_transfers: { status, status_details: details } } },
      },
    },
    requirements: {
      entries: wants.map(entry),
      ...(wants.length > 0 && { summary: { minimum_deadline: { status: 'past_due' } } }),
    },
  }
}

function entry(description: string): Record<string, unknown> {
  return {
    awaiting_action_from: 'user',
    description,
    errors: [],
    impact: {
      restricts_capabilities: [
        {
          capability: 'stripe_balance.stripe_transfers',
          configuration: 'recipient',
          deadline: { status: 'past_due' },
        },
      ],
    },
    minimum_deadline: { status: 'past_due' },
    requested_reasons: [{ code: 'routine_onboarding' }],
  }
}

/** Moves an account to a state and announces what changed of it. Nothing when it is there already, or closed. */
export function moveAccount(tx: Tx, account: Account, state: AccountState): void {
  if (account.closed) return
  const before = statusOf(account)
  const wanted = account.requirements.entries.length
  tx.change(account, fieldsOf(state))
  tx.objects.note('v2.core.account', account.id, { state })
  tx.schedule('approve-account', account.id, state === 'review' ? tx.now + REVIEW_SECONDS : null)
  // Pays out the balance that was held back while nothing could be paid out.
  if (state === 'ready' && balanceOf(tx, account.id).length > 0)
    tx.schedule('pay-out', account.id, nextPayoutTime(tx.now))
  const related = relatedTo(account)
  if (statusOf(account) !== before)
    emitThin(tx, 'v2.core.account[configuration.recipient].capability_status_updated', related, {
      updated_capability: 'stripe_balance.stripe_transfers',
    })
  if (wanted !== account.requirements.entries.length || wanted > 0)
    emitThin(tx, 'v2.core.account[requirements].updated', related)
}

/** Stripe's review found nothing wrong. */
export function approveAfterReview(tx: Tx, id: string): void {
  moveAccount(tx, tx.need('v2.core.account', id), 'ready')
}

/** Closes an account for good: it can be read, and nothing else. */
export function closeAccount(tx: Tx, account: Account): void {
  if (account.closed) return
  tx.change(account, { closed: true })
  tx.schedule('approve-account', account.id, null)
  emitThin(tx, 'v2.core.account.closed', relatedTo(account))
}

export function statusOf(account: Account): CapabilityStatus {
  return account.configuration.recipient?.capabilities.stripe_balance.stripe_transfers.status ?? 'unsupported'
}

export function relatedTo(account: Account): Related {
  return { id: account.id, type: 'v2.core.account', url: `/v2/core/accounts/${account.id}` }
}
