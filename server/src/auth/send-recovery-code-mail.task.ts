import { defineTask, type Task } from '../platform/queue.ts'
import { type RecoveryCodeUse, sendRecoveryCodeMail } from './auth.jobs.ts'
import { mailOwner, type OwnerMailDeps } from './mail-owner.ts'

/** Writes the mail; the worker gives that of the e-mails workspace. */
export type RecoveryCodeMailTemplate = (props: Omit<RecoveryCodeUse, 'userId'> & { origin: string }) => {
  subject: string
  html: string
  text: string
}

/** Tells the owner of an account that a recovery code was used, and how many are left (decision 0031). */
export function sendRecoveryCodeMailTask(
  deps: OwnerMailDeps & { origin: string; render: RecoveryCodeMailTemplate },
): Task {
  return defineTask(sendRecoveryCodeMail, async ({ userId, ...use }, jobId) => {
    const mail = deps.render({ ...use, origin: deps.origin })
    await mailOwner(deps, userId, { ...mail, id: `recovery-code-${jobId}` })
  })
}
