import * as z from 'zod'
import {
  prepareAddressChanged,
  prepareAddressRestored,
  prepareNewAddressCodes,
  prepareOldAddressCodes,
} from './auth/email-change/prepare-email-change-mails.ts'
import { prepareFactorMails } from './auth/factors/prepare-factor-mails.ts'
import { tendSigningKeys } from './auth/keys/rotate-signing-keys.ts'
import { makeSecretKey } from './auth/keys/secret-key.ts'
import { prepareAccountCodes } from './auth/sign-in/prepare-account-codes.ts'
import { prepareSignInMails } from './auth/sign-in/prepare-sign-in-mails.ts'
import { judgeEmptyMonths } from './billing/empty-months/judge-months.ts'
import { notifyTraders } from './billing/empty-months/notify-traders.ts'
import { keepSwitch } from './billing/empty-months/switch.queries.ts'
import { paymentsTasks, paymentsWork } from './billing/entry/payments.task.ts'
import { subscriptionsTasks, subscriptionsWork } from './billing/entry/subscriptions.task.ts'
import { leaveUrlsOf, prepareWaysOut } from './billing/leaving/leave-requests.ts'
import type { BillingDeps } from './billing/provider/billing-deps.ts'
import { announceTrialEnds } from './billing/trials/announce-trial-ends.ts'
import { watchCards } from './billing/warnings/card-month.ts'
import { webhooksTasks, webhooksWork } from './billing/webhooks/webhooks.task.ts'
import { closingWork } from './closing/closing.task.ts'
import { prepareClosedMails } from './closing/reopen-link.ts'
import { draftEvidence } from './disputes/draft-evidence.ts'
import { startReaders } from './events/run-readers.ts'
import { prepareExportMails } from './exports/links/prepare-export-mails.ts'
import { prepareFeedbackMails } from './feedback/prepare-feedback-mails.ts'
import { followingTasks } from './following/following.task.ts'
import { prepareRenewalMails } from './following/prepare-renewal-mails.ts'
import { startDelivery } from './mail/broadcast/delivery.ts'
import { returnPathsOf } from './mail/event-mails/return-paths-of.ts'
import { prepareRetractionMails } from './mail/notices/prepare-retraction-mails.ts'
import { prepareStartedMails } from './mail/notices/prepare-started-mails.ts'
import { type OutboxDeps, startOutbox } from './mail/outbox/outbox.ts'
import { mailReader } from './mail/plan/plan-deliveries.ts'
import { startReportReader } from './mail/reports/report-reader.ts'
import { shareNotes } from './mail/suppressions/share-notes.ts'
import { sweepCloses } from './marks/record-closes.ts'
import { startRefresher } from './marks/refresher.ts'
import type { Clock } from './platform/clock.ts'
import type { Queryable } from './platform/database/queryable.ts'
import type { Log } from './platform/log.ts'
import { showSweeps } from './platform/metrics.ts'
import type { Settings } from './platform/settings.ts'
import { runSweeps, type Sweep, startSweeps } from './platform/sweeps.ts'
import { announcePublic } from './positions/publish/announce-public.ts'
import { keepPublishingWhole } from './positions/publish/mend-publishing.ts'
import { settleCloses } from './positions/publish/settle-closes.ts'
import { scoreAllTraders } from './proven/score-traders.ts'
import { purgesOf } from './purges.ts'
import { pushReader } from './push/send/plan-pushes.ts'
import { startPushes } from './push/send/pushes.ts'
import type { PriceProvider } from './quotes/provider/provider.ts'
import type { Calls } from './quotes/provider/take-call.ts'
import { directorySweep } from './quotes/symbols/read-directory.ts'
import { makeRecordLog, type RecordLog, recordReader } from './record/record-log.ts'
import { makeStripe } from './stripe/stripe-client.ts'
import type { DueWork } from './work/due-rows.ts'
import { defineJob, defineTask, type Task } from './work/jobs.ts'
import { startJobs } from './work/run-jobs.ts'
import { runWork } from './work/run-work.ts'
import { openWorkSession } from './work/work-session.ts'

export type WorkerDeps = {
  db: Queryable
  databaseUrl: string
  /** Of the database that `db` is. */
  dropIdle: () => void
  clock: Clock
  log: Log
  provider: PriceProvider
  calls: Calls
  settings: Settings
}

const QUICK_JOBS = 8
/**
 * Jobs that wait for Stripe are apart, as are the kinds of `paymentWork`: when Stripe is slow, others are not. All of them together leave
 * connections of the process to others.
 */
const PAYMENT_JOBS = 2

/** Deletes what no rule asks for any more. */
const purge = defineJob('purge', z.unknown())

/** When no market is open and the closes of the last session are known. */
const scoreTraders = defineJob('score-traders', z.unknown())

/** When the working day of most traders has not begun. */
const notifyOfEmptyMonths = defineJob('notify-of-empty-months', z.unknown())

/** How long what a request left undone waits before somebody looks. */
const SWEEP_PAUSE_MS = 20_000

/** Everything that happens behind the answers: jobs, mails, sweeps. Ends cleanly with `stop`. */
export async function startWorker(deps: WorkerDeps): Promise<{ stop(): Promise<void> }> {
  const { db } = deps
  const session = openWorkSession(deps)
  const [delivery] = await Promise.all([startDelivery({ ...deps, session }), session.opened])
  const jobs = { ...deps, session }
  const quick = startJobs({ ...jobs, name: 'quick', tasks: quickTasks(deps), atOnce: QUICK_JOBS })
  const payments = startJobs({ ...jobs, name: 'payments', tasks: paymentTasks(deps), atOnce: PAYMENT_JOBS })
  const secret = makeSecretKey(deps.settings.authSecret)
  const record = makeRecordLog({ ...deps, secret })
  const closing = closingWork({ ...deps, record, secret, stripe: makeStripe(deps.settings, 'job') })
  const due = [...paymentWork(deps), closing].map((work) => runWork(jobs, work))
  const outbox = startOutbox({ ...deps, ...mailing(deps), session })
  const readers = startReaders({
    ...deps,
    session,
    readers: [recordReader(record), mailReader(db), pushReader(db)],
  })
  const pushes = startPushes({ ...deps, session })
  const refresher = startRefresher({ ...deps, session, perMinute: deps.settings.marksPerMinute })
  const reports = startReportReader({ ...deps, session })
  showSweeps([...sweepsOf({ ...deps, record }), ...hourlySweepsOf(deps)])
  const sweeps = startSweeps({
    sweeps: sweepsOf({ ...deps, record }),
    pauseMs: SWEEP_PAUSE_MS,
    clock: deps.clock,
    log: deps.log,
  })
  return {
    async stop() {
      await Promise.all([
        Promise.all(
          [readers, pushes, outbox, quick, payments, ...due, refresher, reports].map((part) => part.stop()),
        ).then(() => session.end()),
        delivery.stop(),
        sweeps.stop(),
      ])
    },
  }
}

/** The dependencies of the outbox that features supply: how their mails are prepared, and what becomes of them. */
export function mailing({
  db,
  settings,
}: Pick<WorkerDeps, 'db' | 'settings'>): Pick<
  OutboxDeps,
  'findLeaveUrls' | 'noteSignIn' | 'prepare' | 'returnPaths'
> {
  const { origin } = settings
  const secret = makeSecretKey(settings.authSecret)
  return {
    prepare: {
      sign_in: prepareSignInMails({ db, origin, secret }),
      account_code: prepareAccountCodes({ db, secret }),
      old_address_code: prepareOldAddressCodes({ db, secret }),
      new_address_code: prepareNewAddressCodes({ db, secret }),
      address_changed: prepareAddressChanged({ db, origin, secret }),
      address_restored: prepareAddressRestored({ db }),
      second_factor_changed: prepareFactorMails({ origin, secret }),
      account_closed: prepareClosedMails({ origin, secret }),
      export_ready: prepareExportMails({ origin, secret }),
      subscription_started: prepareStartedMails({ db, origin, secret }),
      renewal_ahead: prepareRenewalMails({ db, origin, secret, settings }),
      prices_retracted: prepareRetractionMails({ db, origin }),
      way_out: prepareWaysOut({ origin, secret }),
      feedback: prepareFeedbackMails({ db }),
    },
    findLeaveUrls: leaveUrlsOf({ db, origin, secret }),
    returnPaths: returnPathsOf(settings),
    noteSignIn: shareNotes(db),
  }
}

/** Tasks that do not wait for Stripe: prices of when following began, the purge, the scores. */
export function quickTasks(deps: WorkerDeps): Task[] {
  const { clock, db, log, settings } = deps
  return [
    ...followingTasks(deps),
    defineTask(purge, () => runSweeps({ sweeps: hourlySweepsOf(deps), clock, log }), { minute: 17 }),
    defineTask(notifyOfEmptyMonths, () => notifyTraders(db, settings, clock.now()), { hour: 6, minute: 7 }),
    defineTask(
      scoreTraders,
      async () => {
        const run = await scoreAllTraders({ db, indexSymbol: settings.indexSymbol }, clock.now())
        log.info(run ?? {}, run ? 'scored all traders' : 'no session to score traders by yet')
      },
      { hour: 4, minute: 41 },
    ),
  ]
}

/** Each has the next hour when it fails. */
export function hourlySweepsOf({ db, settings }: Pick<WorkerDeps, 'db' | 'settings'>): Sweep[] {
  const secret = makeSecretKey(settings.authSecret)
  return [
    { name: 'signing keys', run: (now) => tendSigningKeys({ db, secret }, now) },
    announceTrialEnds(db),
    judgeEmptyMonths(db, settings),
    watchCards(db),
    ...purgesOf(db, settings),
  ]
}

type BillingWorkDeps = Omit<BillingDeps, 'stripe'> & { clock: Clock }

/** Jobs that wait for Stripe. */
export function paymentTasks(deps: BillingWorkDeps): Task[] {
  const payments = { ...deps, stripe: makeStripe(deps.settings, 'job') }
  return [...paymentsTasks(payments), ...subscriptionsTasks(payments), ...webhooksTasks(payments)]
}

/** Kinds of work that are due at a time of their own, and wait for Stripe. */
export function paymentWork(deps: BillingWorkDeps): DueWork[] {
  const payments = { ...deps, stripe: makeStripe(deps.settings, 'job') }
  return [
    ...paymentsWork(payments),
    ...subscriptionsWork(payments),
    webhooksWork({ ...payments, draftEvidence: (id) => draftEvidence(payments, id) }),
  ]
}

/** Sweeps for work that a crash or an outage left undone, twenty seconds after the last sweep. */
export function sweepsOf(
  deps: Pick<WorkerDeps, 'db' | 'log' | 'provider' | 'calls' | 'settings'> & { record: RecordLog },
): Sweep[] {
  const { db, log, record, settings } = deps
  return [
    keepPublishingWhole({ db, log }),
    // The first look after a start says from when on months count.
    { name: 'the switch of empty months', run: (now) => keepSwitch(db, settings.returnEmptyMonths, now) },
    { name: 'closes', run: (now) => sweepCloses(db, settings.indexSymbol, now) },
    settleCloses(deps),
    announcePublic({ db, log }),
    directorySweep(deps),
    { name: 'record', run: () => record.tend() },
  ]
}
