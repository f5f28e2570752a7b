import { activityItemId } from '@tradepost/contract/activity-item'
import { readableName } from '@tradepost/contract/company-name'
import {
  renderPositionAdjustedMail,
  renderPositionClosedMail,
  renderPositionOpenedMail,
  renderPositionStruckMail,
  renderPriceCorrectedMail,
  renderSymbolRenamedMail,
} from '@tradepost/emails/render'
import { makeSecretKey, type SecretKey } from '../../auth/keys/secret-key.ts'
import { leaveUrl } from '../../billing/leaving/leave-link.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Settings } from '../../platform/settings.ts'
import { receiptOf } from '../../record/receipts.ts'
import { unsubscribeUrl } from '../unsubscribe/unsubscribe-url.ts'
import { type MailTemplate, makeMailTemplate, TOKEN_GAP } from './mail-template.ts'
import { type EventStory, findEventStory } from './sending.queries.ts'

/** Rendered mails kept at hand: as many events as are likely to be under way at once. */
const KEPT = 32

type EventOfMail = { traderId: string; eventNo: number }

/** An event of no trader: statements that run for it are only prepared by that. */
export const NOBODY: EventOfMail = { traderId: '00000000-0000-0000-0000-000000000000', eventNo: 0 }

/** As long as a receipt is in a log of a million entries. */
const REHEARSED_RECEIPT = 'A'.repeat(1369)

const REHEARSED: Omit<EventStory, 'kind' | 'at' | 'openedAt'> = {
  trader: 'trader',
  symbol: 'AAPL',
  companyName: 'Apple Inc',
  holdLength: 'one_to_three_weeks',
  openPrice: '100.00',
  openNotes: 'Notes of the usual length, which nobody reads.',
  closePrice: '110.00',
  closeNotes: 'Notes of the usual length, which nobody reads.',
  percentageGain: '10.0000',
  unsettled: false,
  quotedAt: null,
  split: null,
  correction: null,
  rename: null,
  strike: null,
}

/** The mail of each event, rendered once by this process however many recipients it has. */
export type EventMails = {
  /** @returns null when the event is gone */
  of(event: EventOfMail): Promise<MailTemplate | null>
  /** Renders mails that nobody gets: the first one of a process takes ten times as long as the next. */
  rehearse(at: Date): void
}

export function makeEventMails(given: { db: Queryable; settings: Settings }): EventMails {
  const deps = { ...given, secret: makeSecretKey(given.settings.authSecret) }
  const kept = new Map<string, Promise<MailTemplate | null>>()
  return {
    of(event) {
      const key = `${event.traderId}.${event.eventNo}`
      const mail = kept.get(key) ?? render(deps, event)
      // Taken out and put back, the map's order is that of use.
      kept.delete(key)
      kept.set(key, mail)
      mail.catch(() => kept.delete(key))
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT) break
        kept.delete(oldest)
      }
      return mail
    },
    rehearse(at) {
      for (const kind of ['opened', 'closed'] as const) {
        const story = { ...REHEARSED, kind, at, openedAt: at }
        const mail = makeMail(deps, story, NOBODY, REHEARSED_RECEIPT)
        mail.sheet().to({ address: 'nobody@tradepost.example', unsubscribeToken: '' }).bytes('')
      }
    },
  }
}

async function render(deps: Deps & { db: Queryable }, event: EventOfMail): Promise<MailTemplate | null> {
  const { db, settings } = deps
  const [story, receipt] = await Promise.all([
    findEventStory(db, event),
    // The mail is what people pay for: a record that cannot be read holds up none.
    receiptOf(db, event, settings.record).catch(() => null),
  ])
  return story && makeMail(deps, story, event, receipt?.receipt ?? null)
}

type Deps = { settings: Settings; secret: SecretKey }

function makeMail(
  { secret, settings: { origin, mail } }: Deps,
  story: EventStory,
  event: EventOfMail,
  receipt: string | null,
): MailTemplate {
  return makeMailTemplate({
    from: mail.from,
    ...contentOf(story, { event, origin, receipt, secret }),
    at: story.at,
    messageId: { event: String(event.eventNo), source: event.traderId },
    listName: event.traderId,
    unsubscribeUrl: unsubscribeUrl(origin, TOKEN_GAP),
  })
}

type Sent = { event: EventOfMail; origin: string; receipt: string | null; secret: SecretKey }

function contentOf(story: EventStory, { event: { eventNo }, origin, receipt, secret }: Sent) {
  // Nobody publishes without a username; a mail without one is still better than none.
  const trader = story.trader ?? 'trader'
  const shared = {
    trader,
    item: activityItemId(trader, eventNo),
    symbol: story.symbol,
    openPrice: story.openPrice,
    publishedAt: story.at.toISOString(),
    origin,
    unsubscribeUrl: unsubscribeUrl(origin, TOKEN_GAP),
    leaveUrl: leaveUrl({ origin, secret }, TOKEN_GAP, story.at),
    receipt,
  }
  const companyName = story.companyName === null ? null : readableName(story.companyName)
  if (story.kind === 'opened') {
    return renderPositionOpenedMail({
      ...shared,
      companyName,
      notes: story.openNotes,
      holdLength: story.holdLength,
    })
  }
  const { closePrice, closeNotes, correction, percentageGain, rename, split, strike } = story
  if (story.kind === 'adjusted') {
    if (correction !== null) {
      const gain = story.unsettled ? null : percentageGain
      return renderPriceCorrectedMail({ ...shared, ...correction, percentageGain: gain })
    }
    if (strike !== null) return renderPositionStruckMail({ ...shared, ...strike })
    if (rename !== null) return renderSymbolRenamedMail({ ...shared, ...rename })
    if (split === null) throw new Error('an adjusted event without its split')
    return renderPositionAdjustedMail({ ...shared, ...split, percentageGain })
  }
  if (closePrice === null || closeNotes === null || percentageGain === null) {
    throw new Error('a closed event without a closed position')
  }
  const openedAt = story.openedAt.toISOString()
  return renderPositionClosedMail({
    ...shared,
    companyName,
    notes: closeNotes,
    closePrice,
    percentageGain,
    openedAt,
    ...(story.unsettled && story.quotedAt && { lastTradeAt: story.quotedAt.toISOString() }),
  })
}
