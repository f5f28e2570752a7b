import type { Session } from '@supabase/auth-js'
import { FEED_HEARTBEAT_MS, FEED_TIMEOUT_MS, type FeedMessage, feedMessage } from '@tradepost/contract/feed'
import { feedEndpoints } from '@tradepost/contract/feed-endpoints'
import { createParser } from 'eventsource-parser'
import { isOutdated, newestSession } from './api.ts'
import { ApiRefusal, endsSession } from './api-refusal.ts'
import { endSession } from './end-session.ts'
import { noteNewerVersion } from './newer-version.ts'
import { readAnswer } from './read-answer.ts'

const SILENCE_MS = FEED_HEARTBEAT_MS + FEED_TIMEOUT_MS

export type FeedReader = {
  /** @param id the place after this message, to resume from */
  onMessage(message: FeedMessage, id: string): void
  /**
   * Data has come, at least a heartbeat.
   * @param sentAt when the server sent it, ISO 8601; '' where it does not say
   * @param since the server sent it after this, ms of this device's clock: when the data before it came, or the request began
   */
  onAlive(sentAt: string, since: number): void
}

/** How a feed ended. */
export type FeedEnd = {
  /** Whether any data had come. */
  opened: boolean
  /** How long the server asks this page to wait, in ms (`retry-after`); 0 where it does not. */
  retryAfterMs: number
}

/**
 * Reads one feed until it ends, for whatever reason: the server ends it, nothing comes for 40 s (docs/specification.md section 9), there
 * is no network, it is refused, or `ending` is aborted. A refusal that says that the session is over
 * signs the person out, as after any call.
 * @param lastEventId id of the last message; '' for none
 */
export async function readFeed(
  lastEventId: string,
  reader: FeedReader,
  ending: AbortSignal,
): Promise<FeedEnd> {
  const silent = new AbortController()
  const watch = () => setTimeout(() => silent.abort(), SILENCE_MS)
  let silence = watch()
  const end: FeedEnd = { opened: false, retryAfterMs: 0 }
  let session: Session | null = null
  try {
    session = await newestSession()
    const headers: Record<string, string> = { authorization: `Bearer ${session.access_token}` }
    if (lastEventId !== '') headers['last-event-id'] = lastEventId
    const signal = AbortSignal.any([ending, silent.signal])
    let since = Date.now()
    const setSince = (at: number) => {
      since = at
    }
    const answer = await fetch(feedEndpoints.feed.path, { headers, credentials: 'include', signal })
    if (!answer.ok || !answer.body) {
      end.retryAfterMs = Number(answer.headers.get('retry-after')) * 1000 || 0
      throw new ApiRefusal(answer.status)
    }
    let sentAt = ''
    const parser = createParser({
      onEvent: ({ data, id }) => pass(data, id ?? '', reader),
      onComment(comment) {
        sentAt = comment
      },
    })
    const texts = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await texts.read(); !part.done; part = await texts.read()) {
      clearTimeout(silence)
      silence = watch()
      end.opened = true
      parser.feed(part.value)
      reader.onAlive(sentAt, since)
      // Parts that waited together, while the page stood still, come in one turn: none of them was sent after the one before had come.
      setTimeout(setSince, 0, Date.now())
    }
  } catch (error) {
    const isOver = !(await isOutdated(error, session).catch(() => true))
    if (isOver && endsSession(error) && !ending.aborted) endSession(session)
  } finally {
    clearTimeout(silence)
    silent.abort()
  }
  return end
}

/** Hands a message on. One that this page does not know is left out, and shows that the server is newer than the page. */
function pass(data: string, id: string, reader: FeedReader): void {
  let json: unknown = null
  try {
    json = JSON.parse(data)
  } catch {
    return
  }
  const message = readAnswer(feedMessage, json)
  if (message) reader.onMessage(message, id)
  else noteNewerVersion()
}
