import { TRIAL_KEPT_DAYS } from '@tradepost/contract/trial'
import { purgeFormerNames } from './accounts/former-names.queries.ts'
import { purgeAuditBefore } from './auth/audit/audit.queries.ts'
import { purgeEmailChanges } from './auth/email-change/email-changes.queries.ts'
import { purgeEmailUndos } from './auth/email-change/email-undos.queries.ts'
import { purgeFactorChallenges } from './auth/factors/factor-challenges.queries.ts'
import { purgeFactorUndos } from './auth/factors/factor-undos.queries.ts'
import { purgeSessions } from './auth/sessions/purge-sessions.queries.ts'
import { sessionBounds } from './auth/sessions/session-life.ts'
import { purgeAccountCodes } from './auth/sign-in/account-codes.queries.ts'
import { purgeAuthCodes } from './auth/sign-in/auth-codes.queries.ts'
import { purgeChallenges } from './auth/sign-in/challenges.queries.ts'
import { oldAuthCodes } from './auth/sign-in/exchange-code.ts'
import { purgeAddresses } from './auth/users/addresses.queries.ts'
import { deletePaymentsOfErased } from './billing/debts/erased-payments.queries.ts'
import { purgeLeaveRequests } from './billing/leaving/leave-requests.queries.ts'
import { purgeTrialsOfErased } from './billing/trials/trials.queries.ts'
import { purgeEvents } from './billing/webhooks/stripe-events.queries.ts'
import { purgeExports } from './exports/links/exports.queries.ts'
import { deleteEndedMails, emptyEndedMails } from './mail/outbox/purge.queries.ts'
import { deleteOldReports, deleteOldSignatures } from './mail/reports/reports.queries.ts'
import { purgeEndedSuppressions } from './mail/suppressions/suppressions.queries.ts'
import { deleteMarks } from './marks/marks.queries.ts'
import type { Queryable } from './platform/database/queryable.ts'
import { purgeRateLimits } from './platform/rate-limit.ts'
import type { Settings } from './platform/settings.ts'
import type { Sweep } from './platform/sweeps.ts'
import { deleteEndedDeliveries } from './push/send/purge.queries.ts'
import { deletePreviews } from './quotes/prices/quotes.queries.ts'
import { forgetReplacedKeys } from './record/log-keys.queries.ts'

/**
 * @property keptMs for how long after it is over, or was written; 0 where the rows themselves or a rule of their feature hold the end
 * @property erase deletes what is older; where it returns how many, `BATCH` at most, so it is called until there are fewer
 */
type Kept = { name: string; keptMs: number; erase(db: Queryable, before: Date): Promise<unknown> }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const BATCH = 5000

/** Spans for which things are kept once they are over. */
const KEPT: readonly Kept[] = [
  { name: 'purge of sign-in challenges', keptMs: 0, erase: purgeChallenges },
  { name: 'purge of sign-in addresses', keptMs: 0, erase: purgeAddresses },
  { name: 'purge of account codes', keptMs: 0, erase: purgeAccountCodes },
  { name: 'purge of factor undos', keptMs: 0, erase: purgeFactorUndos },
  // As long as they count against the day's limit.
  { name: 'purge of links to data', keptMs: DAY_MS, erase: purgeExports },
  { name: 'purge of changes of address', keptMs: 0, erase: purgeEmailChanges },
  { name: 'purge of undos of address', keptMs: 0, erase: purgeEmailUndos },
  { name: 'purge of sessions', keptMs: 0, erase: (db, now) => purgeSessions(db, sessionBounds(now)) },
  { name: 'purge of factor challenges', keptMs: 0, erase: purgeFactorChallenges },
  { name: 'purge of auth codes', keptMs: 0, erase: (db, now) => purgeAuthCodes(db, oldAuthCodes(now)) },
  { name: 'purge of the audit log', keptMs: 365 * DAY_MS, erase: purgeAuditBefore },
  { name: 'purge of links to leave', keptMs: 30 * DAY_MS, erase: purgeLeaveRequests },
  { name: 'purge of rate limits', keptMs: 0, erase: purgeRateLimits },
  // A late price key is refused for its true reason while its row is kept; a position keeps the price and the id of its preview.
  { name: 'purge of previews', keptMs: DAY_MS, erase: (db, before) => deletePreviews(db, before, BATCH) },
  {
    name: 'purge of ended mails',
    keptMs: 7 * DAY_MS,
    erase: (db, before) => deleteEndedMails(db, before, BATCH),
  },
  // Mails of a cause stay, so that a later read of Stripe does not mail the same cause again.
  {
    name: 'purge of the texts of mails',
    keptMs: 90 * DAY_MS,
    erase: (db, before) => emptyEndedMails(db, before, BATCH),
  },
  // Longer than Stripe itself knows an event.
  { name: 'purge of Stripe events', keptMs: 60 * DAY_MS, erase: purgeEvents },
  // Of what nobody has looked at or held; closes are kept.
  { name: 'purge of marks', keptMs: 30 * DAY_MS, erase: deleteMarks },
  // Longer than an event can be given to the reader again, so that no message is planned twice (ADR 0063).
  {
    name: 'purge of notifications',
    keptMs: 2 * DAY_MS,
    erase: (db, before) => deleteEndedDeliveries(db, before, BATCH),
  },
  { name: 'purge of former names', keptMs: 0, erase: purgeFormerNames },
  {
    name: 'purge of trials of erased people',
    keptMs: TRIAL_KEPT_DAYS * DAY_MS,
    erase: purgeTrialsOfErased,
  },
  { name: 'purge of suppressions', keptMs: 0, erase: purgeEndedSuppressions },
  // Far longer than a bounce is under way, so that none counts twice.
  { name: 'purge of reports', keptMs: 90 * DAY_MS, erase: deleteOldReports },
  // Longer than a signature of a webhook is good for.
  { name: 'purge of signatures', keptMs: HOUR_MS, erase: deleteOldSignatures },
  // Processes whose clocks disagree sign under the key before for so long.
  { name: 'purge of replaced keys of the record', keptMs: DAY_MS, erase: forgetReplacedKeys },
]

/** One sweep a row, so that each is tried by itself; hourly is enough. */
export function purgesOf(db: Queryable, settings: Pick<Settings, 'moneyKeptYears'>): Sweep[] {
  const spans = KEPT.map(
    ({ erase, keptMs, name }): Sweep => ({
      name,
      async run(now) {
        const before = new Date(now.getTime() - keptMs)
        for (let done: unknown = BATCH; done === BATCH; ) done = await erase(db, before)
      },
    }),
  )
  const payments = {
    name: 'purge of payments of erased people',
    run: (now: Date) => deletePaymentsOfErased(db, endOfKept(now, settings.moneyKeptYears)),
  }
  return [...spans, payments]
}

/** The law counts from the end of a year. @returns the first instant (UTC) of the oldest year that is kept */
function endOfKept(now: Date, years: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear() - years, 0, 1))
}
