import { type MailKind, mails } from '@tradepost/emails/render'
import { sql } from 'kysely'
import type { AppDeps } from '../src/app.ts'
import { LIMITED_MAILS } from '../src/mail/outbox/categories.ts'
import { type Ending, type LeasedMail, recordEndings, takePlaces } from '../src/mail/outbox/leases.queries.ts'
import { sendMails } from '../src/mail/outbox/send-mails.ts'
import type { Mail } from '../src/mail/smtp/mailer.ts'
import { serialQueue } from '../src/platform/cache/serial-queue.ts'
import type { Queryable } from '../src/platform/database/queryable.ts'
import type { Log } from '../src/platform/log.ts'
import { windowOf } from '../src/platform/rate-window.ts'
import { mailing } from '../src/worker.ts'
import { silentLog } from './database/database.ts'

type Deps = Pick<AppDeps, 'clock' | 'db' | 'pool' | 'settings'>

export const ALL_KINDS = Object.keys(mails) as MailKind[]
/** Of money, and of the account with which it is earned and paid. */
export const MONEY_KINDS = ALL_KINDS.filter((kind) => ['account', 'money'].includes(mails[kind].category))

/** The number under which these tests lease; no worker has it. */
const NUMBER = 0

/** Sends the mails of some kinds that are due, each once, as a worker would; one that fails waits for its next try. */
export async function runOutbox(
  { clock, db, pool, settings }: Deps,
  options: {
    kinds: MailKind[]
    send: (mail: Mail) => Promise<void>
    log?: Log
    operatorEmail?: string | null
  },
): Promise<void> {
  const client = await pool.connect()
  try {
    const inTurn = serialQueue()
    const record = (ending: Ending) =>
      inTurn(() => recordEndings(client, [NUMBER], [ending], { now: clock.now(), key: LIMITED_MAILS.key }))
    const sending = {
      ...mailing({ db, settings }),
      db,
      clock,
      log: options.log ?? silentLog,
      taxLiable: settings.taxLiable,
      origin: settings.origin,
      operatorEmail: options.operatorEmail ?? null,
      mailer: { send: options.send },
      takePlaces: (ids: string[]) =>
        takePlaces(client, ids, {
          key: LIMITED_MAILS.key,
          ...windowOf(LIMITED_MAILS.windowSeconds, clock.now()),
        }),
    }
    const { rows } = await client.query<LeasedMail>(
      `update outbox set lease_owner = $1, leased_at = $2
       where kind = any($3) and ended_at is null and due_at <= $2 and lease_owner is null
       returning id, kind, user_id as "userId", facts, tries, expires_at as "expiresAt", place_in as "placeIn"`,
      [NUMBER, clock.now(), options.kinds],
    )
    await sendMails(sending, rows, (_mail, ending) => record(ending))
  } finally {
    client.release()
  }
}

/** Makes the next run a first one again for every mail that waits, as if the pauses were over. */
export async function hurryMails(db: Queryable): Promise<void> {
  await sql`update outbox set due_at = created_at, fault = null where ended_at is null`.execute(db)
}

/** The mails that wait. */
export async function waitingMails(db: Queryable, kind?: MailKind) {
  return db
    .selectFrom('outbox')
    .selectAll()
    .where('ended_at', 'is', null)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** A mail that was sent, with what was stored of it. */
export type SentMail = Mail & { facts: Record<string, unknown> }

/** As `runOutbox`, into an array instead of a mail server. @param options.fault the mail server's answer instead of taking a mail */
export async function takeMails(
  deps: Deps,
  kinds: MailKind[],
  options: { fault?: Error | undefined; log?: Log; operatorEmail?: string } = {},
): Promise<SentMail[]> {
  const sent: Mail[] = []
  await runOutbox(deps, {
    ...options,
    kinds,
    async send(mail) {
      if (options.fault) throw options.fault
      sent.push(mail)
    },
  })
  const rows = await deps.db.selectFrom('outbox').select(['id', 'facts']).execute()
  const facts = new Map(rows.map((row) => [row.id, row.facts as Record<string, unknown>]))
  return sent.map((mail) => ({ ...mail, facts: facts.get(mail.id ?? '') ?? {} }))
}
