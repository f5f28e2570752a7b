import type { Clock } from '../../platform/clock.ts'
import { reasonOf } from '../../platform/log.ts'
import { countMail, type MailOutcome } from '../../platform/metrics.ts'
import { mailTag, type ReturnPaths } from '../../platform/return-path.ts'
import { MailError, type Mailer } from '../smtp/mailer.ts'
import { type SmtpRefusal, UNWRITABLE, whomStatusConcerns } from '../smtp/smtp-outcome.ts'
import { holdRefusalAgainst } from '../suppressions/hold-refusal.ts'
import type { SignInOutcome } from '../suppressions/returned-mails.queries.ts'
import type { NoteSignIn } from '../suppressions/share-notes.ts'
import { deleteRefusals, suppressAddress } from '../suppressions/suppressions.queries.ts'
import { isMailKind, isWithheldFrom, retryPause, termsOf } from './categories.ts'
import type { Ending, LeasedMail } from './leases.queries.ts'
import { type PrepareDeps, prepareMails, type Ready } from './prepare-mails.ts'

export type SendDeps = PrepareDeps & {
  clock: Clock
  mailer: Pick<Mailer, 'send'>
  /** For mails without a place among the limited ones. @throws when the database does not take it */
  takePlaces(ids: string[]): Promise<void>
  noteSignIn: NoteSignIn
  /** The envelope senders of this deployment; null for that of the From line. */
  returnPaths: Pick<ReturnPaths, 'of'> | null
}

/**
 * The result of a try. @property counts as what it is counted @property refused set when no other try can help
 * @property refusal the mail server's permanent refusal, also where another try may help
 */
type Outcome =
  | { state: 'unneeded' }
  | { state: 'sent'; counts: 'sent' }
  | {
      state: 'failed'
      counts: MailOutcome<'single'>
      fault: string
      refused: SmtpRefusal | null
      refusal?: SmtpRefusal | null
    }

/**
 * Sends mails that were leased together, each as far as it goes. A mail that is sent twice, because its worker ended between the
 * mail server's yes and the record of it, keeps its Message-ID, so mailboxes show one.
 * @param end records the result of one of them
 */
export async function sendMails(
  deps: SendDeps,
  leased: LeasedMail[],
  end: (mail: LeasedMail, ending: Ending) => Promise<void>,
): Promise<void> {
  const ready = await prepareAll(deps, leased)
  await Promise.all(
    leased.map(async (mail) => {
      const outcome = await send(deps, mail, ready.get(mail.id) ?? { state: 'unneeded' })
      if (outcome.state !== 'unneeded') countMail('single', outcome.counts)
      await end(mail, await judge(deps, mail, outcome))
    }),
  )
}

async function prepareAll(deps: SendDeps, leased: LeasedMail[]): Promise<Map<string, Ready>> {
  try {
    const ready = await prepareMails(deps, leased, deps.clock.now())
    const placeless = leased.filter(
      (mail) => mail.placeIn === null && ready.get(mail.id)?.state === 'ready' && isLimited(mail),
    )
    if (placeless.length > 0) await deps.takePlaces(placeless.map(({ id }) => id))
    return ready
  } catch (error) {
    const kinds = [...new Set(leased.map(({ kind }) => kind))]
    deps.log.warn({ kinds, reason: reasonOf(error) }, 'mails could not be prepared')
    return new Map(leased.map(({ id }) => [id, { state: 'fault', fault: 'it could not be prepared' }]))
  }
}

function isLimited({ kind }: LeasedMail): boolean {
  return isMailKind(kind) && termsOf(kind).limited
}

async function send(deps: SendDeps, mail: LeasedMail, ready: Ready): Promise<Outcome> {
  if (ready.state === 'unneeded') return ready
  if (ready.state === 'fault') return { state: 'failed', counts: 'failed', fault: ready.fault, refused: null }
  if (ready.state === 'unwritable')
    return { state: 'failed', counts: 'refused', fault: 'its address cannot be written', refused: UNWRITABLE }
  const { id } = mail
  const { subject, html, text, unsubscribeUrl } = ready.written
  const returnPath = returnPathOf(deps, mail)
  try {
    await deps.mailer.send({
      id,
      to: ready.address,
      subject,
      text,
      ...(html !== null && { html }),
      ...(returnPath !== null && { returnPath }),
      headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl && oneClick(unsubscribeUrl)) },
    })
    return { state: 'sent', counts: 'sent' }
  } catch (error) {
    if (!(error instanceof MailError))
      return { state: 'failed', counts: 'failed', fault: reasonOf(error), refused: null }
    return {
      state: 'failed',
      counts: error.outcome,
      fault: error.message,
      refused: error.refused,
      refusal: error.refusal,
    }
  }
}

/** The envelope sender by which later reports about this mail are distinguished from those about others (ADR 0066). */
function returnPathOf({ returnPaths }: SendDeps, { id, kind, userId }: LeasedMail): string | null {
  if (!returnPaths || !isMailKind(kind)) return null
  return returnPaths.of({ topic: termsOf(kind).topic, readerId: userId ?? id, tag: mailTag(id) })
}

/** The headers that make a mail program offer a button that stops such mails (RFC 8058). */
function oneClick(unsubscribeUrl: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** Whether there is another try, and when. */
async function judge(deps: SendDeps, mail: LeasedMail, outcome: Outcome): Promise<Ending> {
  const { id, kind } = mail
  if (kind === 'sign_in') await noteOutcome(deps, mail, outcome)
  if (outcome.state === 'sent') await forgetRefusals(deps, mail)
  if (outcome.state !== 'failed') return { id, endedAs: outcome.state, dueAt: null, fault: null }
  const { fault, refused } = outcome
  if (refused && (await giveUp(deps, mail, refused))) return { id, endedAs: 'refused', dueAt: null, fault }
  const dueAt = new Date(deps.clock.now().getTime() + retryPause(mail.tries + 1))
  if (dueAt <= mail.expiresAt) return { id, endedAs: null, dueAt, fault }
  deps.log.error({ mail: id, kind, fault }, 'a mail was given up')
  return { id, endedAs: 'given up', dueAt: null, fault }
}

/** Records whether a sign-in mail came back, which is shown to people who wait for a code (ADR 0091). Never at the cost of the record. */
async function noteOutcome(
  { clock, log, noteSignIn }: SendDeps,
  { id }: LeasedMail,
  outcome: Outcome,
): Promise<void> {
  const came = cameOf(outcome)
  if (came === null) return
  await noteSignIn({ mailId: id, came }, clock.now()).catch((error: unknown) =>
    log.warn({ mail: id, reason: reasonOf(error) }, 'the outcome of a sign-in mail is not noted'),
  )
}

/** @returns null where there may be another try, and where the refusal speaks of us */
function cameOf(outcome: Outcome): SignInOutcome['came'] | null {
  if (outcome.state !== 'failed') return outcome.state === 'sent' ? 'taken' : 'unsent'
  const refusal = outcome.refusal ?? outcome.refused
  if (refusal === null) return null
  const { about, read, status } = refusal
  // A mail that was read may have been refused for its content, unless the code names the mailbox.
  const isTheirs =
    about === 'address' || (about === 'recipient' && (!read || whomStatusConcerns(status) === 'address'))
  return isTheirs ? 'back' : null
}

/** A mail that was taken at a later try: the refusals of its reader are forgotten. Never at the cost of the record. */
async function forgetRefusals({ db, log }: SendDeps, { id, tries, userId }: LeasedMail): Promise<void> {
  if (tries === 0 || userId === null) return
  await deleteRefusals(db, userId).catch((error: unknown) =>
    log.warn({ mail: id, reason: reasonOf(error) }, 'refusals of a recipient are not forgotten yet'),
  )
}

/** The refusals of all single mails to a person count as those of one event: of nobody's, since nobody follows themselves. */
const SINGLE_MAILS = 0

/** @returns false when it is tried again all the same */
async function giveUp(deps: SendDeps, mail: LeasedMail, refused: SmtpRefusal): Promise<boolean> {
  const { id, kind, userId } = mail
  const { about, replyCode, status } = refused
  if (!isMailKind(kind) || !termsOf(kind).refusable) return false
  if (about === 'address' && userId !== null && isWithheldFrom(kind, 'suppressed')) {
    const person = { userId, traderId: userId, eventNo: SINGLE_MAILS, replyCode, status }
    const now = deps.clock.now()
    try {
      if (refused === UNWRITABLE) await suppressAddress(deps.db, person, now)
      else if (!(await holdRefusalAgainst(deps.db, person, 'address', now))) return false
    } catch (error) {
      deps.log.warn({ mail: id, reason: reasonOf(error) }, 'an address could not be suppressed')
      return false
    }
  }
  deps.log.warn({ mail: id, kind, replyCode }, 'a mail was refused')
  return true
}
