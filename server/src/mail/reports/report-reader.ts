import type { Clock } from '../../platform/clock.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import type { ReturnPaths } from '../../platform/return-path.ts'
import type { Settings } from '../../platform/settings.ts'
import { backOff } from '../../work/back-off.ts'
import { makeWakeUp } from '../../work/wake-up.ts'
import type { WorkSession } from '../../work/work-session.ts'
import { returnPathsOf } from '../event-mails/return-paths-of.ts'
import { notifyWhileItLasts } from '../outbox/operator-notices.ts'
import { openReportParser, type ReportParser } from '../report-formats/report-parser.ts'
import { findByToken } from '../unsubscribe/unsubscribe.queries.ts'
import { endTurn, isReadingDue, takeTurn } from './mailbox-turns.queries.ts'
import { readReport } from './read-report.ts'
import { recordReport } from './record-report.ts'
import { countUnread, findEmail } from './reports.queries.ts'

export type ReaderDeps = { db: Queryable; clock: Clock; log: Log; settings: Settings }

const MINUTE_MS = 60_000
const READ_EVERY_MS = MINUTE_MS
const LONGEST_PAUSE_MS = 15 * MINUTE_MS
/** Longer than a reading may take. */
const TURN_MS = 2 * MINUTE_MS
/** About an hour of failures. */
const WORTH_TELLING = 8

/** Reads the mailbox of reports at intervals, in turn with other workers, until stopped; without one it does nothing. */
export function startReportReader(deps: ReaderDeps & { session: Pick<WorkSession, 'add'> }): {
  stop(): Promise<void>
} {
  if (deps.settings.reports.mailboxUrl === null) return { stop: async () => undefined }
  const ending = new AbortController()
  const { signal } = ending
  const wakeUp = makeWakeUp()
  const leave = deps.session.add({ onNews: wakeUp.notify, isWaiting: isReadingDue })
  const run = async () => {
    while (!signal.aborted) {
      const seen = wakeUp.version()
      await readWhenDue(deps, signal).catch((error: unknown) => {
        if (!signal.aborted) deps.log.warn({ reason: reasonOf(error) }, 'reports wait for the database')
      })
      if (!signal.aborted) await wakeUp.waitBeyond(seen, null)
    }
  }
  const running = run()
  return {
    async stop() {
      ending.abort()
      wakeUp.notify()
      await running
      leave()
    },
  }
}

/**
 * Reads the mailbox if it is due and no other process does. A mailbox that cannot be read is tried again with growing pauses.
 * @returns how many messages were read; null when it was not due or could not be read
 * @throws when the database is away
 */
export async function readWhenDue(deps: ReaderDeps, stopping: AbortSignal): Promise<number | null> {
  const { clock, db, log, settings } = deps
  const { mailboxUrl } = settings.reports
  const paths = returnPathsOf(settings)
  if (mailboxUrl === null || !paths) return null
  const failures = await takeTurn(db, clock.now(), after(clock.now(), TURN_MS))
  if (failures === null) return null
  try {
    // Loaded where there is a mailbox: the library takes memory that every worker would have.
    const { readNewMessages } = await import('./mailbox.ts')
    await using parser = openReportParser()
    const read = await readNewMessages(
      mailboxUrl,
      (message) => handle(deps, { parser, paths }, message),
      stopping,
    )
    await endTurn(db, { failures: 0, readAt: clock.now(), nextAt: after(clock.now(), READ_EVERY_MS) })
    return read
  } catch (error) {
    if (stopping.aborted) {
      await endTurn(db, { failures, readAt: null, nextAt: clock.now() })
      return null
    }
    if (failures === 0) log.warn({ reason: wordsFor(error) }, 'the mailbox of reports could not be read')
    const nextAt = after(
      clock.now(),
      backOff({ firstMs: READ_EVERY_MS, longestMs: LONGEST_PAUSE_MS }, failures + 1),
    )
    await endTurn(db, { failures: failures + 1, readAt: null, nextAt })
    if (failures + 1 >= WORTH_TELLING)
      await withTransaction(db, (tx) => notifyWhileItLasts(tx, 'report-mailbox-away', NOTICE, clock.now()))
    return null
  }
}

async function handle(
  { clock, db, log }: ReaderDeps,
  { parser, paths }: { parser: ReportParser; paths: ReturnPaths },
  message: Buffer,
): Promise<void> {
  const report = await readReport(await parser.parse(message), paths, {
    emailOf: (id) => findEmail(db, id),
    subscriberOf: async (secret) => (await findByToken(db, secret))?.subscriberId ?? null,
  })
  const now = clock.now()
  const source = 'mailbox'
  if (typeof report === 'string') await countUnread(db, { source, reason: report }, now)
  else await withTransaction(db, (tx) => recordReport(tx, { report, source }, { log, now }))
}

/** The library names a refused sign-in by a mark alone. */
function wordsFor(error: unknown): string {
  const isSignIn = error instanceof Error && 'authenticationFailed' in error
  return isSignIn ? 'the sign-in was refused' : reasonOf(error)
}

function after(now: Date, milliseconds: number): Date {
  return new Date(now.getTime() + milliseconds)
}

const NOTICE = {
  subject: 'the mailbox of bounces cannot be read',
  text: [
    'For an hour nobody could read the mailbox to which bounces and complaints come. Mails go out as before; addresses that do not',
    'exist go on being mailed, which costs the name of the sender.',
    '',
    'The log of the workers says why; BOUNCE_IMAP_URL names the mailbox.',
  ].join('\n'),
}
