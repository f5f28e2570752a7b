import { formatMoney } from '@tradepost/contract/money'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Settings } from '../platform/settings.ts'
import {
  type DisputeCase,
  eachOpenCase,
  fetchCase,
  isUnanswered,
  submitEvidence,
} from '../stripe/disputes.ts'
import { makeStripe, type StripeDeps } from '../stripe/stripe-client.ts'
import { at } from '../support/page-lines.ts'
import { draftEvidence } from './draft-evidence.ts'
import { findDisputedPayment } from './evidence.queries.ts'
import { readEvidence } from './read-evidence.ts'
import { evidencePage } from './write-evidence.ts'

type Deps = StripeDeps & { db: Queryable }

/**
 * The operator's command about disputes.
 * @param what `show` or `send`, for one dispute; null lists those that wait for an answer @param id Stripe's
 * @throws for other words, a dispute of another product, one that waits for no answer, and what Stripe throws
 */
export async function tendDisputes(
  { db, settings }: { db: Queryable; settings: Settings },
  what: string | null,
  id: string,
): Promise<string> {
  const deps = { db, settings, stripe: makeStripe(settings, 'job') }
  if (what === null) return list(deps)
  if (what === 'show') return show(deps, id)
  if (what === 'send') return send(deps, id)
  throw new Error('Say `show` or `send` and the id of a dispute, or nothing.')
}

async function list(deps: Deps): Promise<string> {
  const lines: string[] = []
  for await (const one of eachOpenCase(deps)) if (await isOurs(deps, one)) lines.push(lineOf(one))
  return lines.length > 0 ? lines.join('\n') : 'No dispute waits for an answer.'
}

async function show(deps: Deps, id: string): Promise<string> {
  const evidence = await readEvidence(deps, await fetchCase(deps, id))
  if (!evidence) throw new Error('That is no dispute of a payment that is stored here.')
  return evidencePage(evidence, deps.settings.origin)
}

/** The draft that stands there goes, also where it was edited in Stripe's dashboard. */
async function send(deps: Deps, id: string): Promise<string> {
  const dispute = await fetchCase(deps, id)
  if (!(await isOurs(deps, dispute))) throw new Error('That is no dispute of a payment that is stored here.')
  if (!isUnanswered(dispute)) throw new Error(`It waits for no answer: ${dispute.status}.`)
  await draftEvidence(deps, id)
  await submitEvidence(deps, id)
  return 'Sent. The bank decides within about three months; the trader is mailed then.'
}

async function isOurs({ db }: Deps, { paymentId }: DisputeCase): Promise<boolean> {
  return paymentId !== null && (await findDisputedPayment(db, paymentId)) !== null
}

function lineOf({ amountCents, currency, dueAt, hasEvidence, id, reason, status }: DisputeCase): string {
  const money = formatMoney(amountCents, currency)
  const due = dueAt ? `until ${at(dueAt)}` : 'no date'
  return [id, money, reason, status, due, hasEvidence ? 'drafted' : 'no draft yet'].join('  ')
}
