import { setUsername } from '../../server/src/accounts/set-username.ts'
import { makeSecretKey } from '../../server/src/auth/keys/secret-key.ts'
import { sha256 } from '../../server/src/platform/ids.ts'
import { buildTestApp } from '../../server/test/build-test-app.ts'
import type { TestDatabase } from '../../server/test/database/database.ts'
import { startQuoteServer } from '../../server/test/prices/quote-server.ts'
import { bearer, signIn } from '../../server/test/sign-in/sign-in.ts'
import { listenIn, makeReplay, type Replay } from '../sign-in/recorded-statements.ts'

/** A trader, for the product and for the peer. */
export type BareTrader = { userId: string; sessionId: string; username: string }

const USERNAME = 'recorded'
const NOTES = 'For a reason that is long enough.'
const SYMBOL = 'RECORDED'
/** Far from every other number of a statement, so that it is known again. */
const EVENT_NO = 900_000_001

/** Has one trader check a price, open, check a price and close through the real app, and records the statements of each step. */
export async function recordCycle(database: TestDatabase): Promise<Replay[]> {
  const recordedAt = new Date()
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({
    // All statements go over the pool, where they are recorded.
    database: { ...database, pipelined: database.db },
    now: recordedAt,
    quotes,
    settings: { marketOverride: 'open' },
  })
  const trader = await signIn(testApp)
  const secret = makeSecretKey(testApp.settings.authSecret)
  await setUsername({ db: testApp.db, secret }, trader, USERNAME, recordedAt)
  await database.pool.query('update traders set last_event_no = $2 where trader_id = $1', [
    trader.userId,
    EVENT_NO - 1,
  ])
  quotes.set(SYMBOL, { price: 187.5, at: recordedAt })
  const keys: string[] = []
  const post = async (path: string, payload: object) => {
    const body = { symbol: SYMBOL, key: keys.at(-1), ...payload }
    const headers = bearer(trader.token)
    const answer = await testApp.app.inject({
      method: 'POST',
      url: `/v1/positions/${path}`,
      headers,
      payload: body,
    })
    if (answer.statusCode >= 300) throw new Error(`the recorded ${path} failed: ${answer.body}`)
    return answer.json() as { key: string }
  }
  // The first call of an app also reads the keys of its tokens, and the first price check of a symbol its company's name.
  await post('preview', {})
  // A next check would end it, and in a replay there is none.
  await database.pool.query('delete from price_previews where trader_id = $1', [trader.userId])
  const preview = () => listenIn(database.pool, async () => keys.push((await post('preview', {})).key))
  const order = (path: string, payload: object) => listenIn(database.pool, () => post(path, payload))
  const steps = [
    await preview(),
    await order('open', { openNotes: NOTES, positionLength: 'one_to_three_weeks' }),
    await preview(),
    await order('close', { closeNotes: NOTES }),
  ]
  const { rows } = await database.pool.query<{
    id: string
    open_preview_id: string
    close_preview_id: string
  }>('select id, open_preview_id, close_preview_id from positions where trader_id = $1', [trader.userId])
  const names = {
    userId: trader.userId,
    sessionId: trader.sessionId,
    username: USERNAME,
    symbol: SYMBOL,
    openKey: sha256(keys[0] ?? ''),
    closeKey: sha256(keys[1] ?? ''),
    positionId: rows[0]?.id,
    openPreviewId: rows[0]?.open_preview_id,
    closePreviewId: rows[0]?.close_preview_id,
    openEventNo: EVENT_NO,
    closeEventNo: EVENT_NO + 1,
  }
  return steps.map((statements) => makeReplay(statements, names, recordedAt))
}
