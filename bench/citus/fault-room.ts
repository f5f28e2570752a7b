import { endpoints } from '../../contract/src/endpoints.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { buildTestApp, makeTestClock, type TestApp } from '../../server/test/build-test-app.ts'
import { runOn } from '../../server/test/database/standby.ts'
import { makeCrowdTrader } from '../../server/test/followers.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/prices/quote-server.ts'
import { startTcpProxy, type TcpProxy } from '../../server/test/processes/tcp-proxy.ts'
import { bearer } from '../../server/test/sign-in/sign-in.ts'
import { inScenarioOn, type Scenario } from '../faults/delivery-scenario.ts'
import { signEverybodyIn, type Viewer } from '../feeds/world.ts'
import { type Cluster, type Node, openServers, startCluster } from './cluster.ts'

const FOLLOWERS = 50
const OTHERS = 10
const NOTES = 'For a reason that is long enough.'

export type Trader = Viewer
export type Answer = { status: number; retryAfter: unknown; body: { code?: string; key?: string } }

/** A node, and what the coordinator reaches it through. */
type Place = { node: Node; proxy: TcpProxy | null }

/** The product on a cluster. */
export type Room = {
  cluster: Cluster
  scenario: Scenario
  /** With `FOLLOWERS` followers. */
  trader: Trader
  /** A call of the product's API as somebody; with a body it is a POST. */
  ask(who: Trader, path: string, body?: object): Promise<Answer>
  /** @returns the payload that opens a position at the price that was checked */
  checkPrice(who: Trader, symbol: string): Promise<object>
  /** Where somebody's positions are. */
  placeOf(who: Trader): Promise<Place & { shard: string }>
  /** Two whose rows are on two nodes. */
  tradersApart(): Promise<[Trader, Trader]>
}

/** @param options.proxies whether the coordinator reaches the nodes through proxies */
export async function inRoom(
  bin: string,
  options: { proxies: boolean },
  work: (room: Room) => Promise<void>,
): Promise<void> {
  await using servers = openServers(bin)
  await using stack = new AsyncDisposableStack()
  const places = new Map<number, Place>()
  const cluster = await startCluster(servers, async (node) => {
    const proxy = options.proxies ? stack.use(await startTcpProxy(node.url)) : null
    const port = Number(new URL(proxy?.url ?? node.url).port)
    places.set(port, { node, proxy })
    return port
  })
  const quotes = stack.use(await startQuoteServer())
  await inScenarioOn(
    cluster.coordinator.url,
    async (scenario) => {
      const { database } = scenario
      for (let nth = 0; nth < OTHERS; nth += 1)
        await makeCrowdTrader(database.pool, `apart${nth}`, new Date())
      const people = [...(await signEverybodyIn(database)).values()]
      await using testApp = await buildTestApp({
        database,
        quotes,
        clock: makeTestClock(new Date()),
        settings: { marketOverride: 'open', limitsOn: false },
        log: makeLog(process.env.FAULTS_LOG === 'on' ? 'error' : 'silent', false),
      })
      await work(makeRoom({ cluster, scenario, places, quotes, testApp, people }))
    },
    { followers: FOLLOWERS },
  )
}

function makeRoom(parts: {
  cluster: Cluster
  scenario: Scenario
  places: Map<number, Place>
  quotes: QuoteServer
  testApp: TestApp
  people: Viewer[]
}): Room {
  const { cluster, people, places, quotes, scenario, testApp } = parts
  const ask: Room['ask'] = async (who, path, body) => {
    const how = body ? { method: 'POST' as const, payload: body } : { method: 'GET' as const }
    const answer = await testApp.app.inject({ ...how, url: path, headers: bearer(who.token) })
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body: answer.json() }
  }
  const placeOf: Room['placeOf'] = async ({ userId }) => {
    const [found] = await runOn(
      cluster.coordinator.url,
      `select nodeport as port, shard_name(logicalrelid, shardid) as shard from pg_dist_shard join pg_dist_shard_placement using (shardid)
      where shardid = get_shard_id_for_distribution_column('positions', '${userId}')`,
    )
    const place = places.get(Number(found?.port))
    if (!place) throw new Error('nobody knows where the positions are')
    return { ...place, shard: String(found?.shard) }
  }
  return {
    cluster,
    scenario,
    trader: find(people, ({ userId }) => userId === scenario.trader.traderId),
    ask,
    async checkPrice(who, symbol) {
      quotes.set(symbol, { price: 100, at: new Date() })
      const { body } = await ask(who, endpoints.preview.path, { symbol })
      return { symbol, key: body.key, openNotes: NOTES, positionLength: 'one_to_three_weeks' }
    },
    placeOf,
    async tradersApart() {
      const others = people.filter(({ email }) => email.startsWith('apart'))
      const ports = new Map<number, Trader>()
      for (const other of others) ports.set((await placeOf(other)).node.port, other)
      const [one, two] = [...ports.values()]
      if (!one || !two) throw new Error('all of them are on one node')
      return [one, two]
    },
  }
}

function find(people: Viewer[], is: (viewer: Viewer) => boolean): Viewer {
  const found = people.find(is)
  if (!found) throw new Error('nobody like that')
  return found
}
