import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance } from 'fastify'
import { type Delivery, keepDelivery } from './activity/read-delivery.ts'
import type { Clock } from './platform/clock.ts'
import type { Queryable } from './platform/database.ts'
import type { WebDocuments } from './platform/http/web-documents.ts'

type Span = Delivery['day']

/** `/status` (decision G-100), for everybody: how fast mails went, and what that is made of. Holds numbers and no names. */
export function statusRoute(
  app: FastifyInstance,
  { clock, db, documents }: { clock: Clock; db: Queryable; documents: WebDocuments },
): void {
  const frame = documents.read('text.html').replace('__TITLE__', 'Status')
  const delivery = keepDelivery(db)
  app.get(webPaths.status, async (_request, reply) => {
    const text = words(await delivery(clock.now()))
    return documents.send(
      reply,
      frame.replace('__TEXT__', () => text),
    )
  })
}

function words({ day, week }: Delivery): string {
  return `<h1>Status</h1>
<p>How long it takes from publishing a position, opened or closed, until a mail server has taken a follower’s mail.</p>
${section('The last 24 hours', day)}
${section('The last seven days', week)}
<h2>What this is made of</h2>
<p>Every mail about an event that a mail server took, whoever published it. An event is a position that was opened or closed, or
whose price was counted anew after a split. The clock starts when the
event is published and stops when the server of the outgoing mail takes the message over; how long the reader’s own mailbox takes is
not in it. Mails go out in groups of up to 250. The first and the last of a group are recorded with their time, and those between count
as spread evenly. A mail that was put off and taken later counts with the time that it took. Mails that nobody took are not counted.
Figures are rounded up to a tenth of a second and counted anew every five minutes.</p>`
}

function section(title: string, { events, half, mails, most, nearlyAll }: Span): string {
  if (half === null || most === null || nearlyAll === null)
    return `<h2>${title}</h2>\n<p>No mail went out, so there is nothing to say.</p>`
  return `<h2>${title}</h2>
<p>${counted(mails, 'mail')} about ${counted(events, 'event')}.</p>
<ul>
<li>Half of them within <strong>${seconds(half)}</strong></li>
<li>95 % within <strong>${seconds(most)}</strong></li>
<li>99 % within <strong>${seconds(nearlyAll)}</strong></li>
</ul>`
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`
}

const MINUTE = 60

/** @param text a decimal; minutes where tenths mean nothing any more, rounded up too */
function seconds(text: string): string {
  const value = Number(text)
  return value < 2 * MINUTE
    ? `${value.toFixed(1)} s`
    : `${Math.ceil(value / MINUTE).toLocaleString('en-US')} min`
}
