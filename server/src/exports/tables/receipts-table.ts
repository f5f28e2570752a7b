import { receiptsAfter } from '../../record/receipts.ts'
import { type Columns, type ExportTable, type Person, type Row, type Source, toRow } from './export-table.ts'
import { selectFollowed } from './received.queries.ts'

const RECEIPT: Columns = {
  ...{ trader: 'text?', event_no: 'count', position_id: 'id', change: 'text', log_index: 'count' },
  ...{ tree_size: 'count', receipt: 'text' },
}

/** Paths of so many leaves are computed at once; a receipt is up to 2 kB. */
const RECEIPTS_AT_ONCE = 100
const ALL_EVENTS = '{(,)}'

type OfTrader = { traderId: string; username: string | null; windows: string }

async function* pagesOf({ db, witnessing }: Source, { traderId, username, windows }: OfTrader) {
  for (let after = 0; ; ) {
    const of = { traderId, windows, after, limit: RECEIPTS_AT_ONCE }
    const { receipts, last } = await receiptsAfter(db, of, witnessing)
    yield receipts.map(({ change, eventNo, index, positionId, receipt, size }): Row => {
      const event = { trader: username, event_no: eventNo, position_id: positionId, change }
      return toRow(RECEIPT, { ...event, log_index: index, tree_size: size, receipt })
    })
    if (last === null) return
    after = last
  }
}

export const receiptTables: readonly ExportTable[] = [
  {
    name: 'own_receipts',
    holds: 'The receipts of what you published, of the public record; /verify checks them.',
    columns: RECEIPT,
    pages: (source: Source, { userId }: Person) =>
      pagesOf(source, { traderId: userId, username: null, windows: ALL_EVENTS }),
  },
  {
    name: 'received_receipts',
    holds: 'The receipts of what you were told.',
    columns: RECEIPT,
    async *pages(source, { userId }) {
      for (const followed of await selectFollowed(source.db, { userId })) yield* pagesOf(source, followed)
    },
  },
]
