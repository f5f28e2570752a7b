/**
 * The peer of a cycle: `pg` alone, saying the statements of the product again for each trader over ten connections, each
 * waiting for its answer, as pgbench does. `TRADERS` names a file of `BareTrader`s. `/?symbol=` has all of them check a price,
 * open, check a price and close, and answers in how many milliseconds.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connectDatabase } from '../../server/src/platform/database/database.ts'
import { newId, sha256 } from '../../server/src/platform/ids.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import type { Moment } from '../sign-in/recorded-statements.ts'
import { type BareTrader, recordCycle } from './record-cycle.ts'

const CONNECTIONS = 10

const url = process.env.DATABASE_URL ?? ''
const database = connectDatabase({ url, size: CONNECTIONS, log: makeLog('silent', false) })
const traders = JSON.parse(readFileSync(process.env.TRADERS ?? '', 'utf8')) as BareTrader[]
const recorded = await recordCycle({ ...database, url })

/** All of one step before the next one, as the traders of the product do. */
async function everybody(symbol: string): Promise<void> {
  const moments = traders.map(
    (trader): Moment => ({
      ...trader,
      symbol,
      now: new Date(),
      positionId: newId(),
      openPreviewId: newId(),
      closePreviewId: newId(),
      openKey: newKeyHash(),
      closeKey: newKeyHash(),
    }),
  )
  for (const replay of recorded) {
    await Promise.all(
      moments.map((moment) => {
        moment.now = new Date()
        return replay(database.pool, moment)
      }),
    )
  }
}

const newKeyHash = () => sha256(randomBytes(32).toString('base64url'))

const server = createServer(async (request, response) => {
  try {
    const { searchParams } = new URL(request.url ?? '', 'http://bare')
    const began = performance.now()
    await everybody(searchParams.get('symbol') ?? '')
    response.end(String(performance.now() - began))
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))
