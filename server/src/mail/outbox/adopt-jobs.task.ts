/**
 * Jobs by which the version before sends single mails: one that a worker of this version gets becomes a mail of the outbox,
 * once, whatever runs twice. A later version drops this file with its queries, `money_mails` and the triggers of 0024.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Clock } from '../../platform/clock.ts'
import { type Queryable, withTransaction } from '../../platform/database.ts'
import { defineJob, defineTask, type Task } from '../../work/jobs.ts'
import { adoptMoneyMail, findRequest, takePlaceOfChallenge } from './adopt-jobs.queries.ts'
import { termsOf } from './categories.ts'
import { insertMail } from './outbox.queries.ts'
import { type MailOrder, mailRow, placeAt } from './queue-mail.ts'

const place = z.object({ device: z.string(), network: z.nullable(z.string()) })
const signInJob = defineJob('send-sign-in-mail', z.object({ challengeId: z.uuid() }))
const accountCodeJob = defineJob('send-account-code', z.object({ requestId: z.uuid() }))
const factorJob = defineJob(
  'send-factor-mail',
  z.object({
    userId: z.uuid(),
    change: z.enum(['added', 'removed']),
    others: z.boolean(),
    at: z.iso.datetime(),
    from: z.nullable(place),
    undoId: z.nullish(z.uuid()),
  }),
)
const recoveryCodeJob = defineJob(
  'send-recovery-code-mail',
  z.object({ userId: z.uuid(), left: z.number(), at: z.iso.datetime(), from: place }),
)
const moneyJob = defineJob('send-money-mail', z.object({ id: z.uuid() }))
const operatorJob = defineJob('operator-mail', z.object({ subject: z.string(), text: z.string() }))

/** One for each kind of job that the version before queues. */
export function adoptJobsTasks({ db, clock }: { db: Queryable; clock: Clock }): Task[] {
  const adopt = (
    jobId: string,
    order: MailOrder,
    tx: Queryable = db,
    more: { place_in?: Date | null } = {},
  ) => insertMail(tx, { ...mailRow(order, clock.now()), id: idOfJob(jobId), ...more })
  return [
    defineTask(signInJob, ({ challengeId }, jobId) =>
      withTransaction(db, async (tx) => {
        const placeIn = await takePlaceOfChallenge(tx, challengeId)
        const order = { kind: 'sign_in', userId: null, facts: { challengeId } } as const
        await adopt(jobId, order, tx, { place_in: placeIn })
      }),
    ),
    defineTask(accountCodeJob, async ({ requestId }, jobId) => {
      const request = await findRequest(db, requestId)
      if (!request) return
      const order = { kind: 'account_code', userId: request.userId, facts: { requestId } } as const
      await adopt(jobId, order, db, { place_in: placeAt(request.at) })
    }),
    defineTask(factorJob, ({ userId, undoId = null, ...change }, jobId) =>
      adopt(jobId, { kind: 'second_factor_changed', userId, facts: { ...change, undoId } }),
    ),
    defineTask(recoveryCodeJob, ({ userId, ...facts }, jobId) =>
      adopt(jobId, { kind: 'recovery_code_used', userId, facts }),
    ),
    defineTask(moneyJob, ({ id }) => {
      const now = clock.now()
      const expiresAt = new Date(now.getTime() + termsOf('payment_problem').triedForMs)
      return adoptMoneyMail(db, id, { now, expiresAt })
    }),
    defineTask(operatorJob, (facts, jobId) => adopt(jobId, { kind: 'operator_notice', userId: null, facts })),
  ]
}

/** The same id each time a job runs, so that its mail is there once: a UUID of version 8, made of the job's id. */
function idOfJob(jobId: string): string {
  const bytes = createHash('sha256').update(`job ${jobId}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
