import type { MailKind } from '@tradepost/emails/render'
import { makeLinkToken } from '../src/auth/keys/link-token.ts'
import { makeSecretKey } from '../src/auth/keys/secret-key.ts'
import { closingWork } from '../src/closing/closing.task.ts'
import { REOPEN_PATH } from '../src/closing/reopen-link.ts'
import { newId } from '../src/platform/ids.ts'
import { makeStripe } from '../src/stripe/stripe-client.ts'
import type { TestApp } from './build-test-app.ts'
import { silentLog } from './database/database.ts'
import { call } from './factories.ts'
import type { BillingScenario } from './money/billing-scenario.ts'
import { makeTestRecord } from './record.ts'
import { runDue } from './run-due-rows.ts'
import { takeMails } from './run-outbox.ts'
import { insertSession, type SignedIn } from './sign-in/sign-in.ts'

/** Kinds of mails about a closing. */
const KINDS: MailKind[] = ['account_closed', 'account_reopened', 'account_erased']

/** The worker's part of closings, in front of a scenario's Stripe and a record of its own. */
export function makeClosings(scenario: BillingScenario) {
  const { testApp } = scenario
  const { clock, db, settings } = testApp
  const secret = makeSecretKey(settings.authSecret)
  const record = makeTestRecord(testApp)
  const deps = {
    db,
    clock,
    log: silentLog,
    secret,
    record,
    stripe: makeStripe(settings, 'job'),
    provider: testApp.provider,
    calls: testApp.calls,
    settings: { ...settings, record: { ...settings.record, dir: record.folder } },
  }
  const kinds = [closingWork(deps)]
  return {
    deps,
    record,
    folder: record.folder,
    /** The link of the mails of a closing, before any is sent. */
    async linkOf(closingId: string): Promise<string> {
      return `http://localhost${REOPEN_PATH.replace(':token', makeLinkToken(secret, 'reopenings', closingId))}`
    },
    /** Does what is due of closings alone. */
    run: () => runDue(testApp, kinds),
    /** Does what is due of closings, of payments behind them, and sends the mails. @returns the mails */
    async tend() {
      await runDue(testApp, kinds)
      await scenario.settle()
      const mails = await takeMails(testApp, KINDS)
      await runDue(testApp, kinds)
      return mails.map(({ subject, text, to }) => ({ subject, to, text, link: linkOf(text) }))
    },
  }
}

/** Closes the account as the screen does. */
export function closeBy(testApp: TestApp, who: SignedIn) {
  return call(testApp, who, 'POST', '/v1/accounts/close', { confirm: true })
}

/** A session of the person that was signed in to a moment ago. */
export async function signInAgain<Person extends SignedIn>(testApp: TestApp, who: Person): Promise<Person> {
  const [sessionId, now] = [newId(), testApp.clock.now()]
  const session = { id: sessionId, user_id: who.userId, aal: 'aal1', amr: '[]' }
  await insertSession(testApp.db, { ...session, created_at: now, refreshed_at: now })
  return { ...who, sessionId }
}

/** Presses the button of a mail's link. @returns the page */
export async function press(testApp: TestApp, link: string, method: 'GET' | 'POST' = 'POST') {
  const { body, statusCode } = await testApp.app.inject({
    method,
    url: new URL(link).pathname,
    ...(method === 'POST' && {
      payload: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  })
  return { status: statusCode, title: /<h1>(.*?)<\/h1>/.exec(body)?.[1] }
}

function linkOf(text: string): string | undefined {
  return /https?:\/\/\S+\/mail\/reopen\/\S+/.exec(text)?.[0]
}
