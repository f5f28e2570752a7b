import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { makeTrader, NOTES, takeKey } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const clock = makeTestClock(TEST_NOW)
let looks = 0
const testApp = await buildTestApp({
  quotes,
  clock: {
    ...clock,
    now() {
      looks += 1
      return clock.now()
    },
  },
})
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

test('a request whose body is sent slowly is judged when all of it is there', async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'SLOW', 100)
  const body = JSON.stringify({ symbol: 'SLOW', key, openNotes: NOTES, positionLength: 'one_to_three_weeks' })
  const { port } = new URL(await testApp.app.listen({ host: '127.0.0.1', port: 0 }))
  const head = [
    'POST /v1/positions/open HTTP/1.1',
    'host: localhost',
    `authorization: ${bearer(trader.token).authorization}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
  ]
  const before = looks
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 20)}`)
  // Its head has been judged; the market moves, and the rest comes.
  await expect.poll(() => looks).toBeGreaterThan(before)
  clock.advance(60_000)
  quotes.set('SLOW', { price: 105, at: clock.now() })
  socket.write(body.slice(20))
  expect(await text(socket)).toContain('"code":"price_moved"')
})
