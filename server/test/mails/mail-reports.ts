import { listenForImap } from '../../../sandbox/src/mailbox/imap.ts'
import { makeReturnedStore, type Returned } from '../../../sandbox/src/mailbox/returned-store.ts'
import { returnPathsOf } from '../../src/mail/event-mails/return-paths-of.ts'
import type { ReaderDeps } from '../../src/mail/reports/report-reader.ts'
import type { Queryable } from '../../src/platform/database/queryable.ts'
import { newId } from '../../src/platform/ids.ts'
import { type MailTopic, mailTag } from '../../src/platform/return-path.ts'
import { makeTestClock, TEST_NOW, type TestClock, testSettings } from '../build-test-app.ts'
import { openTestDatabase, silentLog } from '../database/database.ts'

export const BOUNCES = 'bounces@mail.example'

/** The mailbox to which reports come, behind a real IMAP server. */
export type ReportMailbox = AsyncDisposable & {
  url: string
  arrive(message: string): void
  readonly messages: readonly Returned[]
}

export async function openReportMailbox(): Promise<ReportMailbox> {
  const store = makeReturnedStore()
  const imap = await listenForImap({ host: '127.0.0.1' }, store)
  return {
    url: `imap://bounces:a%20password@127.0.0.1:${imap.port}`,
    arrive: store.add,
    messages: store.all,
    [Symbol.asyncDispose]: imap.close,
  }
}

/** People, the mailbox in which reports on their mails arrive, and what reads it; without anything that sends. */
export type ReportScenario = AsyncDisposable & {
  deps: ReaderDeps
  pool: Awaited<ReturnType<typeof openTestDatabase>>['pool']
  clock: TestClock
  mailbox: ReportMailbox
  /** Somebody with an account. @returns the id */
  addPerson(name: string): Promise<string>
  /** The envelope sender of a mail to somebody. @param mail distinguishes their mails */
  pathOf(readerId: string, mail?: string, topic?: MailTopic): string
  /** The people whose mails are withheld, and why. */
  suppressed(): Promise<string[]>
  /** How many messages were counted for nobody, by reason. */
  unread(): Promise<Record<string, number>>
}

/** @param options.mailboxUrl where the reader looks instead, such as in front of the mailbox */
export async function openReportScenario(
  options: { frontOf?: (url: string) => Promise<string>; operatorEmail?: string } = {},
): Promise<ReportScenario> {
  const database = await openTestDatabase()
  const mailbox = await openReportMailbox()
  const clock = makeTestClock(TEST_NOW)
  const mailboxUrl = (await options.frontOf?.(mailbox.url)) ?? mailbox.url
  const reports = { address: BOUNCES, mailboxUrl, mailgunKey: null }
  const settings = testSettings({ reports, operatorEmail: options.operatorEmail ?? null })
  const paths = returnPathsOf(settings)
  const { db, pool } = database
  return {
    deps: { db, clock, log: silentLog, settings },
    pool,
    clock,
    mailbox,
    addPerson: (name) => addPerson(db, name, clock.now()),
    pathOf: (readerId, mail = 'a mail', topic = 'positions') =>
      paths?.of({ topic, readerId, tag: mailTag(mail) }) ?? '',
    async suppressed() {
      const { rows } = await pool.query<{ email: string; cause: string }>(
        'select email, cause from suppressions join users on users.id = user_id where ends_at is null order by email collate "C"',
      )
      return rows.map(({ cause, email }) => `${email} ${cause}`)
    },
    async unread() {
      const { rows } = await pool.query<{ reason: string; count: number }>(
        'select reason, count from unread_reports',
      )
      return Object.fromEntries(rows.map(({ count, reason }) => [reason, count]))
    },
    async [Symbol.asyncDispose]() {
      await mailbox[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function addPerson(db: Queryable, name: string, now: Date): Promise<string> {
  const id = newId()
  await db
    .insertInto('users')
    .values({ id, email: `${name}@people.example`, created_at: now, updated_at: now })
    .execute()
  return id
}

/**
 * A bounce as mail servers write it (RFC 3464).
 * @param to the envelope sender of the mail that bounces
 * @param fields of the recipient, over those of an address that does not exist
 */
export function bounce(to: string, fields: Record<string, string> = {}): string {
  const recipient = {
    'Final-Recipient': 'rfc822; somebody@people.example',
    Action: 'failed',
    Status: '5.1.1',
    ...fields,
  }
  return report(to, 'delivery-status', [
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.people.example',
    '',
    ...Object.entries(recipient).map(([name, value]) => `${name}: ${value}`),
  ])
}

/** A complaint as mailbox providers write it (RFC 5965), sent to an address that names no mail. */
export function complaint(returnPath: string, type = 'abuse'): string {
  return report(BOUNCES, 'feedback-report', [
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: SomeProvider/1.0',
    'Version: 1',
    `Original-Mail-From: <${returnPath}>`,
  ])
}

function report(to: string, type: string, part: string[]): string {
  const lines = [
    'From: MAILER-DAEMON@mx.people.example',
    `To: <${to}>`,
    'Subject: Returned mail',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="=_b"`,
    '',
    '--=_b',
    'Content-Type: text/plain',
    '',
    'We are sorry.',
    '--=_b',
    ...part,
    '--=_b',
    'Content-Type: text/rfc822-headers',
    '',
    'Subject: maria opened AAPL',
    '--=_b--',
  ]
  return `${lines.join('\r\n')}\r\n`
}
