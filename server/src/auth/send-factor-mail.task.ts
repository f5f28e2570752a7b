import { defineTask, type Task } from '../platform/queue.ts'
import { type FactorChange, sendFactorMail } from './auth.jobs.ts'
import { mailOwner, type OwnerMailDeps } from './mail-owner.ts'
import type { SecretKey } from './secret-key.ts'
import { undoUrl } from './undo-token.ts'

/** Writes the mail; the worker gives that of the e-mails workspace. */
export type FactorMailTemplate = (
  props: Omit<FactorChange, 'userId' | 'undoId'> & {
    origin: string
    /** Where the change is undone; null when it cannot be. */
    undoUrl: string | null
  },
) => {
  subject: string
  html: string
  text: string
}

/** Tells the owner of an account that its second factor was changed (decision 0030). */
export function sendFactorMailTask(
  deps: OwnerMailDeps & { origin: string; secret: SecretKey; render: FactorMailTemplate },
): Task {
  return defineTask(sendFactorMail, async ({ userId, undoId, ...change }, jobId) => {
    const { origin, secret } = deps
    const mail = deps.render({
      ...change,
      origin,
      undoUrl: undoId ? undoUrl({ origin, secret }, undoId) : null,
    })
    await mailOwner(deps, userId, { ...mail, id: `second-factor-${jobId}` })
  })
}
