import type { AppDeps } from '../../src/app.ts'
import { runOutbox } from '../run-outbox.ts'

export type AccountCodeMail = { to: string; code: string; purpose: string }

/**
 * Sends the waiting mails with account codes as the worker would, into an array instead of a mail server.
 * @param options.refuse fails every mail, as a mail server that is down does
 */
export async function deliverAccountCodes(
  deps: Pick<AppDeps, 'clock' | 'db' | 'pool' | 'settings'>,
  options: { refuse?: boolean } = {},
): Promise<AccountCodeMail[]> {
  const mails: AccountCodeMail[] = []
  await runOutbox(deps, {
    kinds: ['account_code'],
    async send({ to, subject }) {
      if (options.refuse) throw new Error('the mail server is down')
      const purpose = subject.includes('undoes') ? 'factor_undo' : 'reauthentication'
      mails.push({ to, code: subject.slice(0, 6), purpose })
    },
  })
  return mails
}
