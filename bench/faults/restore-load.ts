import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { endpoints } from '../../contract/src/endpoints.ts'
import { newId } from '../../server/src/platform/ids.ts'
import { makeTrader, NOTES, type Trader } from '../../server/test/factories.ts'
import { addFollowers } from '../../server/test/followers.ts'
import { insertSession, tokenOf } from '../../server/test/sign-in/sign-in.ts'
import { keepBuying, type MoneyLoad, startMoneyLoad } from './money-load.ts'
import { accountOf, makePaidTrader, pricesHere } from './money-people.ts'
import { LONGEST_RUN_MS, until } from './money-scenario.ts'
import type { RestoreWorld } from './restore-world.ts'
import { keepTrading, newTrading, type Trading } from './trading.ts'

const PEOPLE = 12
const TRADERS = 3
/** Of the trader who publishes in one go, and of the one who trades all the time. */
const FOLLOWERS = Number(process.env.RESTORE_FOLLOWERS ?? 3000)
const FEW_FOLLOWERS = 10
/** So slow is the mail server, that mails wait at any moment. */
const MAIL_TAKES_MS = 5
const BEFORE_MS = 10_000

/** People who buy, a trader who opens and closes all the time, and one with many followers. */
export type Load = {
  money: MoneyLoad
  trading: Trading
  publisherId: string
  /** The mail server takes its time no more. */
  hurry(): void
  /** Publishes once, to everybody. */
  publish(symbol: string): Promise<void>
  /** After all sessions have ended. */
  signPublisherIn(): Promise<void>
  /** Half of the people have not bought anything yet; from here on they do, and a trader who was there has payouts set up. */
  letTheRestIn(): Promise<void>
  end(): Promise<void>
}

export async function startLoad(world: RestoreWorld): Promise<Load> {
  const { database, quotes, sink, testApp } = world
  const money = await startMoneyLoad(world, { people: PEOPLE })
  const late = await makeTrader(testApp, 'late')
  let publisher = await makeTrader(testApp, 'publisher')
  const trader = await makeTrader(testApp, 'steady')
  const crowd = { ...publisher, traderId: publisher.userId }
  await addFollowers(database.pool, crowd, FOLLOWERS, new Date())
  await addFollowers(database.pool, { ...trader, traderId: trader.userId }, FEW_FOLLOWERS, new Date())
  sink.script = { message: () => ({ waitMs: MAIL_TAKES_MS }) }
  const trading = { ...newTrading(), api: await world.start() }
  for (let nth = 0; nth < TRADERS; nth += 1) money.traders.push(await makePaidTrader(world))
  const [early, rest] = [money.people.slice(0, PEOPLE / 2), money.people.slice(PEOPLE / 2)]
  const under = early.map((person) => keepBuying(money, person))
  const trade = keepTrading(trading, trader.token, quotes)
  await pause(BEFORE_MS)
  return {
    money,
    trading,
    publisherId: publisher.userId,
    hurry() {
      sink.script = {}
    },
    publish: (symbol) => publish(world, publisher, symbol),
    async signPublisherIn() {
      publisher = await signInAgain(world, publisher)
    },
    async letTheRestIn() {
      assert.equal((await world.ask(late, endpoints.startOnboarding)).status, 200)
      const account = await accountOf(world, late)
      await world.sandbox.control('restore', { id: account })
      await until(
        async () => (await pricesHere(world, late)) === 1,
        LONGEST_RUN_MS,
        () => 'no price',
      )
      money.traders.push({ ...late, account })
      under.push(...rest.map((person) => keepBuying(money, person)))
      await pause(BEFORE_MS)
    },
    async end() {
      money.over = true
      trading.over = true
      await Promise.all([...under, trade])
    },
  }
}

async function publish(world: RestoreWorld, who: Trader, symbol: string): Promise<void> {
  world.quotes.set(symbol, { price: 100, at: new Date() })
  const { json } = await world.ask(who, endpoints.preview, { body: { symbol } })
  const position = { symbol, key: json.key, openNotes: NOTES, positionLength: 'one_to_three_weeks' }
  const { code, status } = await world.ask(who, endpoints.openPosition, { body: position })
  assert.deepEqual({ code, status }, { code: null, status: 201 })
}

async function signInAgain({ testApp }: RestoreWorld, who: Trader): Promise<Trader> {
  const [sessionId, now] = [newId(), testApp.clock.now()]
  const times = { created_at: now, refreshed_at: now }
  const session = { id: sessionId, user_id: who.userId, aal: 'aal1', successor_seen: true, ...times }
  await insertSession(testApp.db, {
    ...session,
    amr: JSON.stringify([{ method: 'otp', timestamp: now.getTime() / 1000 }]),
  })
  return { ...who, sessionId, token: await tokenOf(testApp, { ...who, sessionId }) }
}
