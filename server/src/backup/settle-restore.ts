import type { BillingDeps } from '../billing/provider/billing-deps.ts'
import { catchUpEvents, compareWithStripe, PAYMENT_TABLES } from '../billing/webhooks/webhooks.jobs.ts'
import { CLOSINGS } from '../closing/closings.jobs.ts'
import { withTransaction } from '../platform/database/queryable.ts'
import { makeLog } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { recountStatistics } from '../positions/record/recount-statistics.ts'
import { makeStripe } from '../stripe/stripe-client.ts'
import { giveAllLeasesBack } from '../work/due-rows.queries.ts'
import { enqueue } from '../work/jobs.ts'
import { type Adopted, adoptFromStripe } from './adopt-from-stripe.ts'
import { findUnsettled, markSettled } from './backups.queries.ts'
import { withoutLimits } from './long-statements.ts'
import {
  endAllSessions,
  giveMailsUp,
  giveSingleMailsUp,
  lookAtAllPayoutAccounts,
  skipEventNumbers,
} from './settle.queries.ts'

/** About as long as a mail is tried (ADR 0010): what is older has been sent since, or was given up. */
const WORTH_SENDING_MS = 86_400_000
/** More events than any trader publishes between a backup and its restore. */
const ROOM = 1_000_000

/** The arguments that were typed behind the command. */
type Settling = {
  /** Whether mails that waited at the moment are still to be sent, or went out afterwards. */
  waiting: 'to send' | 'sent'
  /** The moment, where the database was not restored by `restoreBackup`; null for that of the backup. */
  to: Date | null
}

/**
 * Settles a database by command.
 * @param words `sent`, and `to` with a moment, or none
 * @throws when it is other words, and as `settleRestore`
 */
export function settleDatabase(
  { databaseUrl, settings }: { databaseUrl: string; settings: Settings },
  words: (string | null)[],
  now: Date,
): Promise<string> {
  const settling = readWords(words.filter((word) => word !== null))
  const log = makeLog('error', true)
  const stripe = makeStripe(settings, 'job')
  return withoutLimits(databaseUrl, (db) => settleRestore({ db, stripe, settings, log }, settling, now))
}

function readWords(words: string[]): Settling {
  const waiting = words[0] === 'sent' ? 'sent' : 'to send'
  const [what, moment = '', ...more] = waiting === 'sent' ? words.slice(1) : words
  if (what === undefined) return { waiting, to: null }
  const to = new Date(moment)
  if (what !== 'to' || Number.isNaN(to.getTime()) || more.length > 0)
    throw new Error('Say nothing, `sent`, or either with `to` and a moment such as 2026-11-25T10:00:00Z.')
  return { waiting, to }
}

/**
 * Does what a database needs that was brought back to an earlier moment, before the first process of the product starts on it
 * (ADR 0067). Stripe is read first: while it is away nothing is changed, and the command can be repeated.
 * @param deps.db without limits for statements
 * @returns what was done, as sentences
 * @throws when nothing is to be settled, or what Stripe throws
 */
async function settleRestore(deps: BillingDeps, { to, waiting }: Settling, now: Date): Promise<string> {
  const { db } = deps
  const moment = to ?? (await findUnsettled(db))
  if (!moment)
    throw new Error(
      'Nothing is to be settled. Of a database that was recovered to a moment by PostgreSQL, say which moment.',
    )
  // The sandbox stands still while the product does.
  const adopted = deps.settings.sandbox?.payments ? null : await adoptFromStripe(deps, moment, now)
  const before = waiting === 'sent' ? now : new Date(now.getTime() - WORTH_SENDING_MS)
  const done = await withTransaction(db, async (tx) => {
    await skipEventNumbers(tx, ROOM)
    const sessions = await endAllSessions(tx, now)
    const mails =
      (await giveMailsUp(tx, before, now)) + (waiting === 'sent' ? await giveSingleMailsUp(tx, now) : 0)
    for (const table of [...PAYMENT_TABLES, CLOSINGS]) await giveAllLeasesBack(tx, table)
    await lookAtAllPayoutAccounts(tx, now)
    await enqueue(tx, catchUpEvents, {}, { key: catchUpEvents.name })
    await enqueue(tx, compareWithStripe, {}, { key: compareWithStripe.name })
    await markSettled(tx, now)
    return { sessions, mails }
  })
  return describe(moment, adopted, done, await recountStatistics(db))
}

function describe(
  moment: Date,
  adopted: Adopted | null,
  { mails, sessions }: { sessions: number; mails: number },
  wrong: number,
): string {
  return [
    `Settled as of ${moment.toISOString()}.`,
    `Ended ${sessions} sessions: everybody signs in again.`,
    `At most ${mails} mails that waited then are not sent any more.`,
    adopted
      ? `Of Stripe: ${adopted.customers} customers and ${adopted.accounts} payout accounts written down again, ${adopted.strangers} are of people who came later.`
      : 'The sandbox was not asked.',
    "Stripe's events since then, and everything that lives there, are looked at as soon as a worker runs.",
    `Counted again; ${wrong} traders' statistics were wrong.`,
  ].join('\n')
}
