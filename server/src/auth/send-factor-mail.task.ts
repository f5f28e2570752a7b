import { defineTask, type Task } from '../platform/queue.ts'
import { type FactorChange, sendFactorMail } from './auth.jobs.ts'
import { mailOwner, type OwnerMailDeps } from './mail-owner.ts'

/** Writes the mail; the worker gives that of the e-mails workspace. */
export type FactorMailTemplate = (props: Omit<FactorChange, 'userId'> & { origin: string }) => {
  subject: string
  html: string
  text: string
}

/** Tells the owner of an account that its second factor was changed (decision 0030). */
export function sendFactorMailTask(
  deps: OwnerMailDeps & { origin: string; render: FactorMailTemplate },
): Task {
  return defineTask(sendFactorMail, async ({ userId, ...change }, jobId) => {
    const mail = deps.render({ ...change, origin: deps.origin })
    await mailOwner(deps, userId, { ...mail, id: `second-factor-${jobId}` })
  })
}
