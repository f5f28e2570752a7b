import { serialQueue } from '../../platform/cache/serial-queue.ts'
import { type AlikeRefusals, makeAlikeRefusals, type NotedRefusal } from './alike-refusals.ts'

/**
 * The mail server's answers to the latest recipients of this worker. Many refusals among few answers mean us,
 * whatever their codes are (section 3.5, Delivery).
 */
export type RefusalWindow = {
  /** Since when the server refuses us, as far as its last answers show; null from the next mail on that it takes. */
  readonly refusesUs: Date | null
  /** When it last took a mail. */
  readonly lastTaken: Date | null
  /** The recipients that are refused alike, of all and of each domain. */
  readonly alike: Pick<AlikeRefusals, 'refused' | 'since'>
  taken(userId: string, address: string, now: Date): void
  /** @returns null, or, when the server means us, all that were held against their recipients, this one included */
  refused(refusal: NotedRefusal, now: Date): NotedRefusal[] | null
  /** Records that the server's code refuses us. */
  refusedUs(now: Date): void
  /**
   * Does one thing after another: a refusal is noted and written down as one, so that none is written after it has been
   * taken back.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

const RECIPIENTS = 50
const REFUSED = 20

export function makeRefusalWindow(): RefusalWindow {
  /**
   * The last answer to each of the latest recipients since the first that is a refusal, longest ago first; null for a mail that was
   * taken. Mails before it would leave the window before it does, so they are not noted.
   */
  const answers = new Map<string, NotedRefusal | null>()
  let refusals = 0
  const alike = makeAlikeRefusals()
  let refusesUs: Date | null = null
  let lastTaken: Date | null = null
  const forget = (userId: string) => {
    if (answers.get(userId)) refusals -= 1
    answers.delete(userId)
  }
  const note = (userId: string, answer: NotedRefusal | null) => {
    forget(userId)
    answers.set(userId, answer)
    if (answer) refusals += 1
    if (answers.size > RECIPIENTS) forget(answers.keys().next().value ?? '')
  }
  return {
    get refusesUs() {
      return refusesUs
    },
    get lastTaken() {
      return lastTaken
    },
    alike,
    taken(userId, address, now) {
      if (refusals > 0) note(userId, null)
      alike.taken(address)
      refusesUs = null
      lastTaken = now
    },
    refused(refusal, now) {
      note(refusal.userId, refusal)
      if (refusals < REFUSED) return null
      const noted = [...answers.values()].filter((answer) => answer !== null)
      answers.clear()
      refusals = 0
      refusesUs ??= now
      return noted
    },
    refusedUs(now) {
      refusesUs ??= now
    },
    inTurn: serialQueue(),
  }
}
