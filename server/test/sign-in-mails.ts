import type { AppDeps } from '../src/app.ts'
import { makeSecretKey } from '../src/auth/secret-key.ts'
import { sendSignInMailTask } from '../src/auth/send-sign-in-mail.task.ts'
import { runJobs } from './run-jobs.ts'

export type SignInMail = { to: string; code: string; link: string; tokenHash: string }

/**
 * Runs the waiting sign-in jobs as the worker would, into an array instead of a mail server.
 * @param options.refuse fails every mail, as a mail server that is down does
 */
export async function deliverSignInMails(
  deps: Pick<AppDeps, 'clock' | 'db' | 'pool' | 'settings'>,
  options: { refuse?: boolean } = {},
): Promise<SignInMail[]> {
  const { clock, db, settings } = deps
  const mails: SignInMail[] = []
  const task = sendSignInMailTask({
    db,
    clock,
    origin: settings.origin,
    secret: makeSecretKey(settings.authSecret),
    render: ({ code, link }) => ({ subject: code, html: '', text: link }),
    mailer: {
      async send({ to, subject, text }) {
        if (options.refuse) throw new Error('the mail server is down')
        const tokenHash = new URLSearchParams(new URL(text).hash.slice(1)).get('token_hash') ?? ''
        mails.push({ to, code: subject, link: text, tokenHash })
      },
    },
  })
  await runJobs(deps, [task])
  return mails
}
