import { inSharedRuns } from '../../platform/cache/coalesce.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { noteSignInMails, type SignInOutcome } from './returned-mails.queries.ts'

/** Records with its address how a sign-in mail ended. @throws the database's error for this one */
export type NoteSignIn = (outcome: SignInOutcome, now: Date) => Promise<void>

type Note = { outcome: SignInOutcome; now: Date; fault: unknown }

/**
 * Mails that end while a statement is under way share the next one. Where it fails each is noted alone, so that a fault stays with the
 * mail that caused it.
 */
export function shareNotes(db: Queryable): NoteSignIn {
  const alone = async (note: Note) => {
    try {
      await noteSignInMails(db, [note.outcome], note.now)
    } catch (fault) {
      note.fault = fault
    }
  }
  const together = inSharedRuns(async (notes: Note[]) => {
    const [first, ...others] = notes
    if (!first) return
    if (others.length === 0) return alone(first)
    const outcomes = notes.map(({ outcome }) => outcome)
    await noteSignInMails(db, outcomes, first.now).catch(() => Promise.all(notes.map(alone)))
  })
  return async (outcome, now) => {
    const note: Note = { outcome, now, fault: null }
    await together(note)
    if (note.fault !== null) throw note.fault
  }
}
