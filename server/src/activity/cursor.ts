import { refusal } from '../platform/http/refusal.ts'
import type { Place } from './shown-events.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const CURSOR = new RegExp(`^([12]\\d{3}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z) (${UUID}) (\\d{1,15})$`)
const SEEN = new RegExp(`^${UUID} \\d{1,15}(?:\\n${UUID} \\d{1,15})*$`)

/** The place of a page's last item, as the next page is asked for. */
export function writeCursor({ at, eventNo, traderId }: Place): string {
  return Buffer.from(`${at} ${traderId} ${eventNo}`).toString('base64url')
}

/** @throws `bad_request` for a text that `writeCursor` did not write, before the database sees it */
export function readCursor(cursor: string): Place {
  const [, at = '', traderId = '', eventNo = ''] = CURSOR.exec(decode(cursor)) ?? []
  const instant = new Date(at)
  // Whether the calendar has it: no 31st of February.
  const isInstant =
    !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(at.slice(0, 19)) && at !== ''
  if (!isInstant) throw refusal('bad_request')
  return { at, traderId, eventNo: Number(eventNo) }
}

type Seen = { traderId: string; eventNo: number }

/** The last event shown of each trader, as text; needs no signature, since it contains only what is read. */
export function writeSeen(seen: Seen[]): string | null {
  if (seen.length === 0) return null
  return Buffer.from(seen.map(({ eventNo, traderId }) => `${traderId} ${eventNo}`).join('\n')).toString(
    'base64url',
  )
}

/** @throws `bad_request` for a text that `writeSeen` did not write */
export function readSeenText(text: string): Seen[] {
  const seen = decode(text)
  if (!SEEN.test(seen)) throw refusal('bad_request')
  return seen.split('\n').map((line) => {
    const [traderId = '', eventNo = ''] = line.split(' ')
    return { traderId, eventNo: Number(eventNo) }
  })
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8')
}
