import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { openTestDatabase } from '../../test/database/database.ts'
import { makeTrader, subscribe } from '../../test/factories.ts'
import { dropFeeds } from '../../test/feed-drops.ts'
import { publish } from '../../test/followers.ts'
import { signIn, tokenOf } from '../../test/sign-in/sign-in.ts'

/** `FEED_DROPS=1000` for the full size. */
const DROPS = Number(process.env.FEED_DROPS ?? 60)
const RESTARTS = DROPS > 100 ? 6 : 2
const FOLLOWERS = 8

test('connections that are lost at random moments, and two processes restarted in turn, leave no gap and repeat nothing', async () => {
  await using database = await openTestDatabase()
  const start = async () => {
    const app = await buildTestApp({ database, settings: { limitsOn: false } })
    await app.app.listen({ host: '127.0.0.1', port: 0 })
    return app
  }
  const apps: TestApp[] = [await start(), await start()]
  const [first] = apps as [TestApp]
  const traders = [await makeTrader(first), await makeTrader(first), await makeTrader(first)]
  const tokens: string[] = []
  for (let nth = 0; nth < FOLLOWERS; nth += 1) {
    const follower = await signIn(first)
    for (const trader of traders) await subscribe(first, follower, trader)
    tokens.push(await tokenOf(first, follower))
  }
  let asked = 0
  let events = 0
  let restarted = 0
  const { followers, published } = await dropFeeds({
    tokens,
    origin() {
      asked += 1
      const port = (apps[asked % apps.length]?.app.server.address() as AddressInfo | null)?.port
      return `http://127.0.0.1:${port ?? 9}`
    },
    async publish() {
      events += 1
      const { userId, username } = traders[events % traders.length] ?? { userId: '', username: '' }
      await publish(database.db, { traderId: userId, username }, { symbol: `S${events}` }, TEST_NOW)
      return { trader: username, stock: `S${events}` }
    },
    async restart() {
      const place = restarted % apps.length
      restarted += 1
      await apps[place]?.close()
      apps[place] = await start()
    },
    drops: DROPS,
    restarts: RESTARTS,
  })
  await Promise.all(apps.map((app) => app.close()))
  for (const { gaps, heard } of followers) {
    expect(gaps).toBe(0)
    // Events of one trader come in their order; between traders there is none.
    for (const { username } of traders) {
      expect(heard.filter(({ trader }) => trader === username)).toEqual(
        published.filter(({ trader }) => trader === username),
      )
    }
  }
  if (process.env.FEED_DROPS)
    console.log(`${published.length * FOLLOWERS} messages, ${DROPS} drops, ${restarted} restarts`)
})
