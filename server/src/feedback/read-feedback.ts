import * as z from 'zod'
import type { Queryable } from '../platform/database/queryable.ts'
import { type FeedbackRow, findFeedback } from './feedback.queries.ts'

const PAGE = 50

/**
 * Lists people's feedback for an operator: newest first, fifty at a time, and below them how to go on.
 * @param olderThan the id of the last entry of the page before, or null for the newest
 * @throws when that is no id
 */
export async function readFeedback(db: Queryable, olderThan: string | null): Promise<string> {
  if (olderThan !== null && !z.uuid().safeParse(olderThan).success) {
    throw new Error('That is not the id of an entry.')
  }
  // One more than is shown reveals whether there is more.
  const rows = await findFeedback(db, olderThan, PAGE + 1)
  const shown = rows.slice(0, PAGE)
  if (shown.length === 0) return 'Nothing.'
  const entries = shown.map(entry).join('\n\n')
  return rows.length > PAGE
    ? `${entries}\n\nOlder: npm run operator -- feedback ${shown.at(-1)?.id}`
    : entries
}

function entry(row: FeedbackRow): string {
  const head = [row.created_at.toISOString(), row.username ?? '-', row.email, row.id].join('  ')
  return `${head}\n${printable(row.body).replaceAll(/^/gm, '  ')}`
}

/** People typed it: whatever could draw on a terminal is cut out, line ends aside. */
function printable(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{C}\n]/gu, '')
}
