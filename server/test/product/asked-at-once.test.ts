import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../build-test-app.ts'
import { makeTrader, open, subscribe } from '../factories.ts'
import { startQuoteServer } from '../prices/quote-server.ts'
import { bearer, type SignedIn, tokenOf } from '../sign-in/sign-in.ts'

const PEOPLE = 20

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

async function get(who: SignedIn, url: string) {
  const answer = await testApp.app.inject({ url, headers: bearer(await tokenOf(testApp, who)) })
  return { status: answer.statusCode, body: answer.json() }
}

test('of many who ask at once everybody is answered what is theirs, and who has signed out is refused alone', async () => {
  const people = []
  for (let nth = 0; nth < PEOPLE; nth += 1) {
    const trader = await makeTrader(testApp, `person-${nth}`)
    await open(testApp, quotes, trader, `OWN${nth}`, 100 + nth)
    people.push(trader)
  }
  // Everybody follows the one before.
  for (const [nth, person] of people.entries()) {
    const before = people[nth - 1]
    if (before) await subscribe(testApp, person, before)
  }
  const signedOut = people[7]
  await testApp.pool.query('update sessions set revoked_at = now() where id = $1', [signedOut?.sessionId])

  const stocks = (nth: number) => (nth === 0 ? ['OWN0'] : [`OWN${nth - 1}`, `OWN${nth}`])
  const asked = people.flatMap((person, nth) =>
    [
      {
        url: '/v1/positions',
        seen: (body: Listed) => body.positions.map(({ stock }) => stock).sort(),
        is: stocks(nth).sort(),
      },
      {
        url: '/v1/accounts/configuration',
        seen: (body: Listed) => [body.username, body.email],
        is: [person.username, person.email],
      },
      ...[nth, (nth + 1) % PEOPLE, (nth + PEOPLE - 1) % PEOPLE].map((other) => ({
        url: `/v1/accounts/profile?username=PERSON-${other}`,
        seen: (body: Listed) => [body.username, body.isSelf, body.isSubscribed, body.openPositions],
        is: [`person-${other}`, other === nth, other === nth - 1, 1],
      })),
      {
        url: `/v1/accounts/search?username=person-${(nth + 5) % PEOPLE}`,
        seen: (body: Listed) => [body.username, body.isSelf],
        is: [`person-${(nth + 5) % PEOPLE}`, false],
      },
    ].map((question) => ({ person, ...question })),
  )
  const answers = await Promise.all(asked.map(async ({ person, url }) => get(person, url)))
  for (const [nth, { person, url, seen, is }] of asked.entries()) {
    const answer = answers[nth]
    if (person === signedOut)
      expect(answer, url).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    else
      expect([answer?.status, seen(answer?.body as Listed)], `${person.username} ${url}`).toEqual([200, is])
  }
})

type Listed = {
  positions: { stock: string }[]
  username: string
  email: string
  isSelf: boolean
  isSubscribed: boolean
  openPositions: number
}
