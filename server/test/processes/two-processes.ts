import { buildTestApp } from '../build-test-app.ts'
import { openTestDatabase } from '../database/database.ts'
import { startQuoteServer } from '../prices/quote-server.ts'

/** Two API processes on one database, `here` and `there`, that ask one market. */
export async function startTwoProcesses() {
  const database = await openTestDatabase()
  const quotes = await startQuoteServer()
  const common = { database, quotes, settings: { limitsOn: false } }
  const [here, there] = [await buildTestApp(common), await buildTestApp(common)]
  return {
    database,
    quotes,
    here,
    there,
    async close() {
      await here.close()
      await there.close()
      await quotes.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
