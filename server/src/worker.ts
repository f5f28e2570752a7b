import {
  renderAccountCodeMail,
  renderRecoveryCodeUsedMail,
  renderSecondFactorChangedMail,
  renderSignInMail,
} from '@tradepost/emails/render'
import * as z from 'zod'
import { purgeAuth } from './auth/purge-auth.ts'
import { tendSigningKeys } from './auth/rotate-signing-keys.ts'
import { makeSecretKey } from './auth/secret-key.ts'
import { sendAccountCodeTask } from './auth/send-account-code.task.ts'
import { sendFactorMailTask } from './auth/send-factor-mail.task.ts'
import { sendRecoveryCodeMailTask } from './auth/send-recovery-code-mail.task.ts'
import { sendSignInMailTask } from './auth/send-sign-in-mail.task.ts'
import { startReaders } from './events/run-readers.ts'
import { startDelivery } from './notifications/delivery.ts'
import { mailReader } from './notifications/plan-deliveries.ts'
import { purgeMoneyMails } from './notifications/purge-money-mails.ts'
import { sendMoneyMailTask } from './notifications/send-money-mail.task.ts'
import { paymentsTasks } from './payments/payments.task.ts'
import type { PaymentsDeps } from './payments/payments-deps.ts'
import { makeStripe } from './payments/stripe-client.ts'
import { sweepCustomers, sweepPayoutAccounts } from './payments/sweep-payments.ts'
import type { Clock } from './platform/clock.ts'
import type { Queryable } from './platform/database.ts'
import type { Log } from './platform/log.ts'
import { type Mailer, makeMailer } from './platform/mailer.ts'
import { operatorMailTask } from './platform/operator-mail.task.ts'
import { defineJob, defineTask, releaseDeadJobs, type Task } from './platform/queue.ts'
import type { Settings } from './platform/settings.ts'
import { startQueue } from './platform/start-queue.ts'
import { type Sweep, startSweeps } from './platform/sweeps.ts'
import { purgePreviews } from './quotes/purge-previews.ts'
import { lookAtLostPayouts, lookAtOverdue } from './subscriptions/subscriptions.jobs.ts'
import { subscriptionsTasks } from './subscriptions/subscriptions.task.ts'
import { sweepCheckouts } from './subscriptions/sweep-checkouts.ts'
import { sweepDebts } from './subscriptions/sweep-debts.ts'
import { purgeStripeEvents, sweepEvents } from './webhooks/sweep-events.ts'
import { catchUpEvents, compareWithStripe } from './webhooks/webhooks.jobs.ts'
import { webhooksTasks } from './webhooks/webhooks.task.ts'

export type WorkerDeps = {
  db: Queryable
  databaseUrl: string
  clock: Clock
  log: Log
  settings: Settings
}

/** A single mail may wait ten minutes for its answer, so there is room for others beside a few that do. */
const QUEUE_CONCURRENCY = 8
/** Jobs that wait for Stripe have a separate lane: when Stripe is slow, sign-in mails are not. */
const PAYMENT_CONCURRENCY = 3

/** Hourly, at its own minute: deletes what no rule asks for any more. */
const purge = defineJob('purge', z.unknown())
const PURGE_HOURLY = `17 * * * * ${purge.name}`

/** Beside Stripe's webhooks, which can be lost: its list of events hourly, and a comparison of everything nightly. */
const PAYMENT_CRONTAB = [
  `23 * * * * ${catchUpEvents.name}`,
  `41 3 * * * ${compareWithStripe.name}`,
  `11 5 * * * ${lookAtLostPayouts.name}`,
  `37 5 * * * ${lookAtOverdue.name}`,
].join('\n')

/** How long what a request left undone waits before somebody looks. */
const SWEEP_PAUSE_MS = 20_000

/** Everything that happens behind the answers: jobs, mails, sweeps. Ends cleanly with `stop`. */
export async function startWorker(deps: WorkerDeps): Promise<{ stop(): Promise<void> }> {
  const { clock, db, settings } = deps
  const mailer = makeMailer(settings.mail)
  const delivery = await startDelivery(deps)
  const readers = startReaders({ ...deps, readers: [mailReader(db)] })
  const queue = await startQueue({
    databaseUrl: deps.databaseUrl,
    tasks: quickTasks(deps, mailer),
    crontab: PURGE_HOURLY,
    concurrency: QUEUE_CONCURRENCY,
    log: deps.log,
  })
  const payments = await startQueue({
    databaseUrl: deps.databaseUrl,
    tasks: paymentTasks(deps),
    crontab: PAYMENT_CRONTAB,
    concurrency: PAYMENT_CONCURRENCY,
    log: deps.log,
  })
  const sweeps = startSweeps({
    sweeps: [...paymentSweeps(db), () => releaseDeadJobs(db)],
    pauseMs: SWEEP_PAUSE_MS,
    clock,
    log: deps.log,
  })
  return {
    async stop() {
      await Promise.all([queue.stop(), payments.stop(), readers.stop(), delivery.stop(), sweeps.stop()])
      mailer.close()
    },
  }
}

/** What needs neither Stripe nor long: single mails, the purge. */
function quickTasks(deps: WorkerDeps, mailer: Mailer): Task[] {
  const { clock, db, log, settings } = deps
  const secret = makeSecretKey(settings.authSecret)
  const mailing = { db, clock, log, origin: settings.origin, secret, mailer }
  return [
    sendSignInMailTask({ ...mailing, render: renderSignInMail }),
    sendAccountCodeTask({ ...mailing, render: renderAccountCodeMail }),
    sendFactorMailTask({ ...mailing, render: renderSecondFactorChangedMail }),
    sendRecoveryCodeMailTask({ ...mailing, render: renderRecoveryCodeUsedMail }),
    sendMoneyMailTask(mailing),
    operatorMailTask({ to: settings.operatorEmail, mailer }),
    defineTask(purge, async () => {
      await purgeAuth(db, clock.now())
      await tendSigningKeys({ db, secret }, clock.now())
      await purgePreviews(db, clock.now())
      await purgeMoneyMails(db, clock.now())
      await purgeStripeEvents(db, clock.now())
    }),
  ]
}

/** What waits for Stripe. */
export function paymentTasks(deps: Omit<PaymentsDeps, 'stripe'> & { clock: Clock }): Task[] {
  const payments = { ...deps, stripe: makeStripe(deps.settings, 'job') }
  return [...paymentsTasks(payments), ...subscriptionsTasks(payments), ...webhooksTasks(payments)]
}

/** What looks for things that a crash or an outage left undone. */
export function paymentSweeps(db: Queryable): Sweep[] {
  return [sweepCustomers, sweepPayoutAccounts, sweepCheckouts, sweepEvents, sweepDebts].map(
    (sweep) => (now) => sweep(db, now),
  )
}
