import { notedPricesUntil } from '@tradepost/contract/price-rights'
import { activityTable } from './activity-table.ts'
import { type Columns, type ExportTable, PAGE_ROWS, tableById, tableByText, toRow } from './export-table.ts'
import {
  selectBeginnings,
  selectDevices,
  selectFollowed,
  selectMails,
  selectNotifications,
  selectReads,
  selectRefusals,
  selectRenewalMail,
  selectReports,
  selectSuppression,
} from './received.queries.ts'

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const BEGINNING: Columns = {
  trader: 'text?',
  position_id: 'id',
  symbol: 'text',
  price: 'decimal?',
  priced_at: 'instant',
}

/** Prices are with their traders, each on its own node (ADR 0069). One that may not be told yet is left empty (rule G-130). */
const beginnings: ExportTable = {
  name: 'following_prices',
  holds: 'The prices from which your results of following are counted.',
  columns: BEGINNING,
  async *pages({ db, rights }, { at, userId }) {
    const shownUntil = notedPricesUntil(rights, at)
    for (const { traderId, username } of await selectFollowed(db, { userId })) {
      for (let after = FIRST_ID; ; ) {
        const rows = await selectBeginnings(db, { traderId, userId, after, limit: PAGE_ROWS, shownUntil })
        yield rows.map((row) => toRow(BEGINNING, { ...row, trader: username }))
        const last = rows.at(-1)
        if (!last || rows.length < PAGE_ROWS) break
        after = last.position_id
      }
    }
  },
}

export const receivedTables: readonly ExportTable[] = [
  activityTable,
  beginnings,
  tableById({
    name: 'read_marks',
    holds: 'Up to which event of each trader you have read.',
    columns: { trader: 'text?', event_no: 'count' },
    select: selectReads,
  }),
  tableById({
    name: 'mails',
    holds: 'Mails to you about your account and your money; those about positions are in activity.',
    columns: {
      ...{ kind: 'text', facts: 'json', cause: 'text?', created_at: 'instant' },
      ...{ ended_at: 'instant?', ended_as: 'text?', tries: 'count' },
    },
    select: selectMails,
  }),
  tableById({
    name: 'devices',
    holds: 'Browsers in which notifications are on, without their keys and full addresses.',
    columns: {
      ...{ id: 'id', session_id: 'id', push_service: 'text', user_agent: 'text?' },
      ...{ created_at: 'instant', failing_since: 'instant?' },
    },
    select: selectDevices,
  }),
  tableByText({
    name: 'notifications',
    holds: 'Notifications to these browsers within two days.',
    columns: {
      ...{ trader: 'text?', event_no: 'count', device_id: 'id', endpoint_host: 'text?' },
      ...{ created_at: 'instant', ended_at: 'instant?', ended_as: 'text?', tries: 'count' },
    },
    select: selectNotifications,
  }),
  tableById({
    name: 'mail_stop',
    holds: 'Why mails about positions do not reach you, where that is so.',
    columns: {
      ...{ cause: 'text', smtp_code: 'count?', smtp_status: 'text?' },
      ...{ created_at: 'instant', ends_at: 'instant?' },
    },
    select: selectSuppression,
  }),
  tableByText({
    name: 'mail_reports',
    holds: 'What was reported of mails to you: bounces and complaints.',
    columns: {
      ...{ kind: 'text', topic: 'text', source: 'text', status: 'text?', smtp_code: 'count?' },
      ...{ about: 'text', counts: 'flag', reported_at: 'instant' },
    },
    select: selectReports,
  }),
  tableByText({
    name: 'mail_refusals',
    holds: 'Mails that your mail server refused.',
    columns: { trader: 'text?', event_no: 'count', refused_at: 'instant' },
    select: selectRefusals,
  }),
  tableById({
    name: 'renewal_mail',
    holds: 'Since when the mail before a renewal is off, where you were sent one.',
    columns: { stopped_at: 'instant?' },
    select: selectRenewalMail,
  }),
]
