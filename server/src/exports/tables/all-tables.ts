import type { ExportTable } from './export-table.ts'
import { moneyTables } from './money-tables.ts'
import { peopleTables } from './people-tables.ts'
import { positionTables } from './position-tables.ts'
import { receiptTables } from './receipts-table.ts'
import { receivedTables } from './received-tables.ts'

/** Every table of a person's file, in its order. A table or column of the schema that says something of a person has its place here, or its reason in server/test/people/exported-columns.ts. */
export const exportTables: readonly ExportTable[] = [
  ...peopleTables,
  ...positionTables,
  ...receivedTables,
  ...moneyTables,
  ...receiptTables,
]
