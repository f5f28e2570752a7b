import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../build-test-app.ts'
import { call, makeTrader, takeKey } from '../factories.ts'
import { startQuoteServer } from '../prices/quote-server.ts'
import { authWire } from '../sign-in/auth-wire.ts'
import { signIn } from '../sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

test('notes and feedback have 10 to 500 characters, a username 3 to 15, a search 3 and an e-mail address 5', {
  tags: ['CONST-23'],
}, async () => {
  const trader = await makeTrader(testApp)
  const ofLength = [9, 10, 500, 501].map((length) => 'x'.repeat(length))
  const opened = []
  const sent = []
  for (const [at, text] of ofLength.entries()) {
    const symbol = `LIMIT${at}`
    const key = await takeKey(testApp, quotes, trader, symbol, 5)
    const order = { symbol, key, openNotes: text, positionLength: 'one_to_three_weeks' }
    opened.push((await call(testApp, trader, 'POST', '/v1/positions/open', order)).status)
    sent.push((await call(testApp, trader, 'POST', '/v1/feedback', { feedback: text })).status)
  }
  expect(opened).toEqual([422, 201, 201, 422])
  expect(sent).toEqual([422, 201, 201, 422])

  const named = []
  for (const username of ['ab', 'abc', 'a23456789012345', 'a234567890123456']) {
    const person = await signIn(testApp)
    named.push((await call(testApp, person, 'POST', '/v1/accounts/username', { username })).status)
  }
  expect(named).toEqual([422, 200, 200, 422])

  const found = []
  for (const name of ['ab', 'abc'])
    found.push((await call(testApp, trader, 'GET', `/v1/accounts/search?username=${name}`)).status)
  expect(found).toEqual([422, 200])

  const asked = []
  for (const email of ['a@b.', '@b.c', 'a@b.c']) asked.push((await authWire(testApp).otp(email)).status)
  expect(asked).toEqual([400, 400, 200])
})
