import type { AppDeps } from '../../src/app.ts'
import { runOutbox } from '../run-outbox.ts'

export type SignInMail = { to: string; code: string; link: string; tokenHash: string }

/**
 * Sends the waiting sign-in mails as the worker would, into an array instead of a mail server.
 * @param options.refuse fails every mail, as a mail server that is down does
 */
export async function deliverSignInMails(
  deps: Pick<AppDeps, 'clock' | 'db' | 'pool' | 'settings'>,
  options: { refuse?: boolean } = {},
): Promise<SignInMail[]> {
  const mails: SignInMail[] = []
  await runOutbox(deps, {
    kinds: ['sign_in'],
    async send({ to, subject, text }) {
      if (options.refuse) throw new Error('the mail server is down')
      const link = /^http\S+$/m.exec(text)?.[0] ?? ''
      const tokenHash = new URLSearchParams(new URL(link).hash.slice(1)).get('token_hash') ?? ''
      mails.push({ to, code: subject.slice(0, 6), link, tokenHash })
    },
  })
  return mails
}
