import type { AppDeps } from '../src/app.ts'
import { makeSecretKey } from '../src/auth/secret-key.ts'
import { sendAccountCodeTask } from '../src/auth/send-account-code.task.ts'
import { runJobs } from './run-jobs.ts'

export type AccountCodeMail = { to: string; code: string; purpose: string }

/**
 * Runs the waiting jobs of account codes as the worker would, into an array instead of a mail server.
 * @param options.refuse fails every mail, as a mail server that is down does
 */
export async function deliverAccountCodes(
  deps: Pick<AppDeps, 'clock' | 'db' | 'pool' | 'settings'>,
  options: { refuse?: boolean } = {},
): Promise<AccountCodeMail[]> {
  const { clock, db, settings } = deps
  const mails: AccountCodeMail[] = []
  const task = sendAccountCodeTask({
    db,
    clock,
    origin: settings.origin,
    secret: makeSecretKey(settings.authSecret),
    render: ({ code, purpose }) => ({ subject: code, html: '', text: purpose }),
    mailer: {
      async send({ to, subject, text }) {
        if (options.refuse) throw new Error('the mail server is down')
        mails.push({ to, code: subject, purpose: text })
      },
    },
  })
  await runJobs(deps, [task])
  return mails
}
