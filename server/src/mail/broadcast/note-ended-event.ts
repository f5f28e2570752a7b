import { reasonOf } from '../../platform/log.ts'
import { noteEventMailed } from '../../platform/metrics.ts'
import { findEndedEvent } from './ended-events.queries.ts'
import type { Range } from './leases.queries.ts'
import type { Sender } from './sender.ts'

/**
 * Counts and logs how long the mails of an event took, once a range of it has ended and no other is open. Two workers that end the last two
 * ranges in the same moment both count it. Nobody waits for it; what is not noted here, the database knows all the same.
 */
export async function noteEndedEvent(
  { clock, db, log }: Sender,
  { eventNo, traderId }: Range,
): Promise<void> {
  const now = clock.now()
  try {
    const [event] = await findEndedEvent(db, { traderId, eventNo })
    if (!event) return
    const seconds = (now.getTime() - event.publishedAt.getTime()) / 1000
    noteEventMailed(seconds)
    log.info({ traderId, eventNo, requestId: event.requestId, seconds }, 'the mails of an event have gone')
  } catch (error) {
    log.debug({ reason: reasonOf(error) }, 'the end of an event was not noted')
  }
}
