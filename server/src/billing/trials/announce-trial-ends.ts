import { DAY_MS } from '@tradepost/contract/trading-day'
import { TRIAL_NOTICE_DAYS } from '@tradepost/contract/trial'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { type Sweep, tryEach } from '../../platform/sweeps.ts'
import { type EndingTrial, listEndingTrials } from './trials.queries.ts'

/**
 * Hourly: mails everybody whose trial ends within two days, once for each end (rule G-123). Workers that were away mail what has not ended
 * by then, and one that fails keeps no other one waiting.
 */
export function announceTrialEnds(db: Queryable): Sweep {
  return {
    name: 'mails before the end of trials',
    async run(now) {
      const until = new Date(now.getTime() + TRIAL_NOTICE_DAYS * DAY_MS)
      await tryEach(await listEndingTrials(db, now, until), (trial) => announce(db, trial, now))
    },
  }
}

function announce(db: Queryable, trial: EndingTrial, now: Date): Promise<void> {
  const {
    amountCents,
    currency,
    fullCents,
    fullFrom,
    stripeSubscriptionId,
    subscriberId: userId,
    trader,
  } = trial
  const endsAt = trial.endsAt.toISOString()
  const interval = trial.interval === 'year' ? 'year' : 'month'
  const facts = {
    trader,
    amountCents,
    currency,
    interval,
    endsAt,
    ...(fullFrom && { later: { amountCents: fullCents, from: fullFrom.toISOString() } }),
  } as const
  return queueMail(
    db,
    { kind: 'trial_ending', userId, cause: `${stripeSubscriptionId}:${endsAt}`, facts },
    now,
  )
}
