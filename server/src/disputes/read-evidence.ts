import { findMailedRanges } from '../activity/mailings.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Settings } from '../platform/settings.ts'
import { receiptsAfter } from '../record/receipts.ts'
import type { DisputeCase } from '../stripe/disputes.ts'
import {
  type Consent,
  type DisputedPayment,
  type EntitledEvent,
  findCanceledAt,
  findConsent,
  findDisputedPayment,
  findFollowed,
  findParties,
  findStartedMailAt,
  listEvents,
  listLateMails,
  listSignIns,
  type SignIn,
} from './evidence.queries.ts'

const DAY_MS = 86_400_000
const SIGN_INS_MAX = 100
const EVENTS_MAX = 500
const RECEIPTS_AT_ONCE = 100

export type EvidenceDeps = { db: Queryable; settings: Pick<Settings, 'origin' | 'record'> }

/** A mail of an event that a mail server took for the subscriber, and the receipt of the event. */
export type DeliveredMail = Pick<EntitledEvent, 'at' | 'kind' | 'symbol'> & {
  /** Taken not before and not after; a range of mails is timed as one. */
  from: Date
  until: Date
  /** Base64url, as in the mail's own link; null while the event is not in the record. */
  receipt: string | null
}

/** Everything that speaks about a disputed payment. */
export type Evidence = {
  dispute: DisputeCase
  payment: DisputedPayment
  trader: string
  email: string
  /** When the subscriber last canceled; null where they never did. */
  canceledAt: Date | null
  consent: Consent | null
  /** When the mail that it began, with the positions that were open then, was taken by a mail server; null where none was. */
  startedMailAt: Date | null
  /** The newest first. */
  signIns: SignIn[]
  /** The newest first. */
  mails: DeliveredMail[]
}

/** Reads everything that speaks about a disputed payment. @returns null for a payment that is not this product's */
export async function readEvidence(deps: EvidenceDeps, dispute: DisputeCase): Promise<Evidence | null> {
  const { db } = deps
  const payment = dispute.paymentId ? await findDisputedPayment(db, dispute.paymentId) : null
  const parties = payment && (await findParties(db, payment))
  if (!parties) return null
  return {
    dispute,
    payment,
    ...parties,
    canceledAt: await findCanceledAt(db, payment),
    consent: await findConsent(db, payment),
    startedMailAt: await findStartedMailAt(db, payment),
    signIns: await listSignIns(db, {
      userId: payment.subscriberId,
      // The one that bought it began before.
      from: new Date(payment.startedAt.getTime() - DAY_MS),
      until: dispute.createdAt,
      limit: SIGN_INS_MAX,
    }),
    mails: await readMails(deps, payment, dispute.createdAt),
  }
}

async function readMails(
  deps: EvidenceDeps,
  payment: DisputedPayment,
  until: Date,
): Promise<DeliveredMail[]> {
  const { db } = deps
  const { subscriberId, traderId } = payment
  const { mailNo, windows } = await findFollowed(db, payment)
  const events = await listEvents(db, { traderId, windows, until, limit: EVENTS_MAX })
  const ranges = await findMailedRanges(db, {
    readers: [subscriberId],
    viewerIds: events.map(() => subscriberId),
    traderIds: events.map(() => traderId),
    eventNos: events.map(({ eventNo }) => eventNo),
  })
  const taken = new Map(
    ranges.map((range) => [
      range.eventNo,
      { from: new Date(range.firstSentAt), until: new Date(range.lastSentAt) },
    ]),
  )
  for (const { eventNo, sentAt } of await listLateMails(db, { traderId, mailNo }))
    taken.set(eventNo, { from: sentAt, until: sentAt })
  const receipts = await readReceipts(deps, { traderId, windows })
  return events.flatMap(({ at, eventNo, kind, symbol }) => {
    const when = taken.get(eventNo)
    return when ? [{ at, kind, symbol, ...when, receipt: receipts.get(eventNo) ?? null }] : []
  })
}

/** By the number of the event. */
async function readReceipts(
  { db, settings }: EvidenceDeps,
  of: { traderId: string; windows: string },
): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  for (let after = 0; ; ) {
    const { last, receipts } = await receiptsAfter(
      db,
      { ...of, after, limit: RECEIPTS_AT_ONCE },
      settings.record,
    )
    for (const { eventNo, receipt } of receipts) found.set(eventNo, receipt)
    if (last === null) return found
    after = last
  }
}
