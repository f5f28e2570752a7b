import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database/database.ts'
import { entitledBetween, wasEntitledBetween } from './entitled-events.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const eventNo = fc.integer({ min: 0, max: 8 })
const row = fc.record({
  from: fc.option(eventNo),
  until: fc.option(eventNo),
  earlier: fc.array(fc.tuple(eventNo, eventNo), { maxLength: 2 }),
})

test('a person who was entitled by rows that were read is so by the statement’s own rule, of any rows and events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 3 }), eventNo, eventNo, async (rows, one, other) => {
      const [first, last] = [Math.min(one, other), Math.max(one, other)]
      const written = rows.map(({ earlier, from, until }) => ({
        from,
        until: from !== null && until !== null ? Math.max(from, until) : null,
        earlier: `{${earlier.map(([a, b]) => `(${Math.min(a, b)},${Math.max(a, b)}]`).join()}}`,
      }))
      const { rows: answered } = await sql<{ entitled: boolean; earlier: string[] }>`
        select coalesce(bool_or(${entitledBetween(first, last)}), false) as entitled,
          coalesce(json_agg(earlier_windows order by nth), '[]') as earlier
        from (
          select row_number() over () as nth, "from" as entitled_from_event, "until" as entitled_until_event,
            earlier::int8multirange as earlier_windows
          from json_to_recordset(${JSON.stringify(written)}::json) given ("from" bigint, "until" bigint, earlier text)
        ) subscriptions`.execute(database.db)
      const [answer] = answered
      // As PostgreSQL writes windows.
      const read = written.map((each, nth) => ({ ...each, earlier: answer?.earlier[nth] ?? '{}' }))
      expect(wasEntitledBetween(read, first, last)).toBe(answer?.entitled)
    }),
    { numRuns: 500 },
  )
})
