import { returnedInTens } from '@tradepost/contract/paid-months'
import { writeSeconds } from '@tradepost/contract/seconds'
import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance } from 'fastify'
import type { Delivery } from './activity/read-delivery.ts'
import type { Clock } from './platform/clock.ts'
import type { WebDocuments } from './platform/http/web-documents.ts'

type Span = Delivery['day']
type StatusDeps = {
  clock: Clock
  documents: WebDocuments
  delivery: (now: Date) => Promise<Delivery>
  /** Counts the empty months that went back in the calendar month before an instant's; null where they do not go back by themselves. */
  returned: ((now: Date) => Promise<number>) | null
}

/** Numbers are rounded down to tens. */
const TENS = 10

/**
 * `/status` (rule G-100), for everybody: how fast mails went, and what that is made of. Holds no names, and of the last days no numbers of
 * mails: a number that rises when somebody publishes reveals how many follow them. `/status.json` says the same to programs.
 */
export function statusRoute(app: FastifyInstance, deps: StatusDeps): void {
  const { clock, delivery, documents, returned } = deps
  const frame = documents.read('text.html').replace('__TITLE__', 'Status')
  app.get(webPaths.status, async (_request, reply) => {
    const now = clock.now()
    const text = words(await delivery(now), returned && (await returned(now)))
    return documents.send(
      reply,
      frame.replace('__TEXT__', () => text),
    )
  })
  app.get(webPaths.statusJson, async (_request, reply) => {
    const now = clock.now()
    return reply
      .header('cache-control', 'no-cache')
      .send(figures(await delivery(now), returned && (await returned(now))))
  })
}

/**
 * `day`, `week`: of the last 24 hours and seven days. `half`, `most`, `nearlyAll`: seconds from publishing until a mail server has taken 50, 95
 * and 99 percent of the mails, null without a mail. `lastMonth`: of the calendar month (UTC) before this one; `mails`, `events`: counts,
 * rounded down to tens; `returnedMonths`: paid months, in words, in tens. The API document says the same.
 */
function figures({ day, month, week }: Delivery, returned: number | null) {
  const seconds = ({ half, most, nearlyAll }: Span) => ({
    half: numberOf(half),
    most: numberOf(most),
    nearlyAll: numberOf(nearlyAll),
  })
  const lastMonth = {
    mails: inTens(month.mails),
    events: inTens(month.events),
    ...(returned !== null && { returnedMonths: returnedInTens(returned) }),
  }
  return { day: seconds(day), week: seconds(week), lastMonth }
}

const numberOf = (decimal: string | null) => (decimal === null ? null : Number(decimal))
const inTens = (count: number) => Math.floor(count / TENS) * TENS

function words({ day, month, week }: Delivery, returned: number | null): string {
  return `<h1>Status</h1>
<p>How long it takes from publishing a position, opened or closed, until a mail server has taken a follower’s mail.</p>
${section('The last 24 hours', day)}
${section('The last seven days', week)}
${numbers(month)}
${returnedWords(returned)}<h2>What this is made of</h2>
<p>Every mail about an event that a mail server took, whoever published it. An event is a position that was opened or closed, or
whose price was counted anew after a split. The clock starts when the
event is published and stops when the server of the outgoing mail takes the message over; how long the reader’s own mailbox takes is
not in it. Mails go out in groups of up to 250. The first and the last of a group are recorded with their time, and those between count
as spread evenly. A mail that was put off and taken later counts with the time that it took. Mails that nobody took are not counted.
Figures are rounded up to a tenth of a second and counted anew every five minutes. Numbers are those of a whole month, rounded down to
tens, so that nobody reads from them how many follow a trader.</p>`
}

/** Of a month that is over, so that nothing that is published changes them. */
function numbers({ events, mails }: Span): string {
  if (mails < TENS) return ''
  const some = (count: number, what: string) =>
    count < TENS
      ? `some ${what}`
      : `at least ${(Math.floor(count / TENS) * TENS).toLocaleString('en-US')} ${what}`
  return `<p>In the month before this one, ${some(mails, 'mails')} about ${some(events, 'events')} went out.</p>`
}

/** Of a month that is over too: a return follows from what was not published long before. */
function returnedWords(months: number | null): string {
  if (months === null) return ''
  return `<h2>Months without anything published</h2>
<p>A month that was paid and in which nothing of its trader reached the follower goes back by itself. In the month before this one,
${returnedInTens(months)} paid months went back.</p>
`
}

function section(title: string, { half, most, nearlyAll }: Span): string {
  if (half === null || most === null || nearlyAll === null)
    return `<h2>${title}</h2>\n<p>No mail went out, so there is nothing to say.</p>`
  return `<h2>${title}</h2>
<ul>
<li>Half of them within <strong>${writeSeconds(half)}</strong></li>
<li>95 % within <strong>${writeSeconds(most)}</strong></li>
<li>99 % within <strong>${writeSeconds(nearlyAll)}</strong></li>
</ul>`
}
