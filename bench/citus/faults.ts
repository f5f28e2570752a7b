import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { endpoints } from '../../contract/src/endpoints.ts'
import { runOn } from '../../server/test/database/standby.ts'
import type { TcpProxy } from '../../server/test/processes/tcp-proxy.ts'
import { print } from '../faults/delivery-checks.ts'
import { awaitWhole, look } from './fault-checks.ts'
import { type Answer, inRoom, type Room, type Trader } from './fault-room.ts'

const BACK_WITHIN_MS = 15_000
const SYMBOL = 'ACME'
/** As the whole of a request; READ COMMITTED is in others. */
const COMMIT = 'COMMIT\0'

const runs: Record<string, { proxies: boolean; run(room: Room): Promise<void> }> = {
  'commit-coordinator-killed': {
    proxies: true,
    run: (room) =>
      committedInPart(room, async () => {
        await room.cluster.coordinator.kill()
        await room.cluster.coordinator.start()
      }),
  },
  'commit-answer-lost': { proxies: true, run: (room) => committedInPart(room, async (proxy) => proxy.cut()) },
  'coordinator-killed-after-answer': { proxies: false, run: answeredAndLost },
  'commit-not-arrived': { proxies: true, run: notCommitted },
  'node-stopped': { proxies: false, run: nodeStopped },
  'node-silent': { proxies: true, run: nodeSilent },
}

/**
 * The faults of a cluster beyond those of one PostgreSQL. Each run prints figures and throws when one is violated.
 * @param names beginnings of names; all unless given
 * @returns whether all held
 */
export async function faultsOfCitus(bin: string, names: string[]): Promise<boolean> {
  let held = true
  for (const [name, { proxies, run }] of Object.entries(runs)) {
    if (names.length > 0 && !names.some((prefix) => name.startsWith(prefix))) continue
    console.log(`\n── ${name}`)
    try {
      await inRoom(bin, { proxies }, run)
      console.log(`── ${name}: held`)
    } catch (error) {
      held = false
      console.error(`── ${name}: VIOLATED`, error)
    }
  }
  return held
}

/** The node has committed its part of an opening, and the coordinator, whose part comes after, never receives the answer. */
async function committedInPart(room: Room, fail: (proxy: TcpProxy) => Promise<void>): Promise<void> {
  const { trader } = room
  const payload = await room.checkPrice(trader, SYMBOL)
  const { node, shard, ...through } = await room.placeOf(trader)
  const proxy = given(through.proxy)
  const reached = proxy.loseAnswerTo(COMMIT)
  const answer = room.ask(trader, endpoints.openPosition.path, payload)
  await reached
  const stands = `select from ${shard} where trader_id = '${trader.userId}'`
  while ((await runOn(node.url, stands)).length === 0) await pause(5)
  await fail(proxy)
  const refused = await answer
  printAnswer(refused)
  assertUnavailable(refused)
  await mended(room, payload)
}

/** The coordinator, which answers before its disk has its part, loses that in a crash. */
async function answeredAndLost(room: Room): Promise<void> {
  const { cluster, trader } = room
  const payload = await room.checkPrice(trader, SYMBOL)
  const { url } = cluster.coordinator
  const [writer] = await runOn(url, "select pid from pg_stat_activity where backend_type = 'walwriter'")
  // Stopped, or it might have written it meanwhile.
  process.kill(Number(writer?.pid), 'SIGSTOP')
  const answer = await room.ask(trader, endpoints.openPosition.path, payload)
  printAnswer(answer)
  assert.equal(answer.status, 201)
  assert.equal((await look(room)).lastEventNo, 1)
  await cluster.coordinator.kill()
  process.kill(Number(writer?.pid), 'SIGKILL')
  await cluster.coordinator.start()
  await mended(room, payload)
}

/** One opening of which the node has its part, and the coordinator nothing, is finished by a worker. */
async function mended(room: Room, payload: object): Promise<void> {
  const { scenario, trader } = room
  assert.equal(
    (await look(room)).lastEventNo,
    0,
    'the coordinator has its part: this was not the fault that was meant',
  )
  // Only now, since a worker sends COMMIT to nodes too.
  const began = performance.now()
  await scenario.startWorker({ systemClock: true })
  await awaitWhole(room, { opened: 1 }, BACK_WITHIN_MS)
  print({ 'whole again after, ms': Math.round(performance.now() - began) })
  const used = await room.ask(trader, endpoints.openPosition.path, payload)
  assert.deepEqual([used.status, used.body.code], [409, 'preview_used'])
  const again = await room.ask(trader, endpoints.openPosition.path, await room.checkPrice(trader, SYMBOL))
  assert.deepEqual([again.status, again.body.code], [409, 'position_exists'])
}

/** The node never receives the commit: nothing of the opening may stand, on the coordinator neither. */
async function notCommitted(room: Room): Promise<void> {
  const { scenario, trader } = room
  const payload = await room.checkPrice(trader, SYMBOL)
  const proxy = given((await room.placeOf(trader)).proxy)
  const lost = proxy.loseRequest(COMMIT)
  const answer = room.ask(trader, endpoints.openPosition.path, payload)
  await lost
  const refused = await answer
  printAnswer(refused)
  assertUnavailable(refused)
  await scenario.startWorker({ systemClock: true })
  await awaitWhole(room, { opened: 0 }, BACK_WITHIN_MS)
  const again = await room.ask(trader, endpoints.openPosition.path, payload)
  assert.equal(again.status, 201, 'the key is as good as before')
  await awaitWhole(room, { opened: 1 }, BACK_WITHIN_MS)
}

async function nodeStopped(room: Room): Promise<void> {
  const [here, there] = await room.tradersApart()
  const { node } = await room.placeOf(there)
  await withoutNode(room, [here, there], { fail: () => node.stop(), mend: () => node.start() })
}

/** The node lives, and nothing that is sent to it arrives, on old connections and on new ones. */
async function nodeSilent(room: Room): Promise<void> {
  const [here, there] = await room.tradersApart()
  const { node, ...through } = await room.placeOf(there)
  const proxy = given(through.proxy)
  await withoutNode(room, [here, there], {
    async fail() {
      proxy.redirect(null)
      proxy.freeze()
    },
    async mend() {
      proxy.redirect(node.url)
    },
  })
}

/** A trader whose rows are on a node that is away is asked to come again; others go on, and everybody does once it is back. */
async function withoutNode(
  room: Room,
  [here, there]: [Trader, Trader],
  { fail, mend }: { fail(): Promise<void>; mend(): Promise<void> },
): Promise<void> {
  for (const trader of [here, there]) await openOne(room, trader, 'FIRST')
  await fail()
  try {
    const payload = await room.checkPrice(there, 'SECOND')
    const opening = () => room.ask(there, endpoints.openPosition.path, payload)
    // The api keeps nothing of this trader yet, from which it could answer the list.
    for (const call of [opening, () => list(room, there)]) {
      const began = performance.now()
      const answer = await call()
      const took = Math.round(performance.now() - began)
      console.log(`   there: answered ${answer.status} ${answer.body.code ?? ''} after ${took} ms`)
      assertUnavailable(answer)
    }
    await openOne(room, here, 'SECOND')
    assert.equal((await list(room, here)).status, 200)
  } finally {
    await mend()
  }
  const began = performance.now()
  while ((await list(room, there)).status !== 200) {
    assert.ok(performance.now() - began < BACK_WITHIN_MS, 'not back')
    await pause(50)
  }
  print({ 'back after, ms': Math.round(performance.now() - began) })
  await openOne(room, there, 'SECOND')
}

async function openOne(room: Room, trader: Trader, symbol: string): Promise<void> {
  const payload = await room.checkPrice(trader, symbol)
  const { status, body } = await room.ask(trader, endpoints.openPosition.path, payload)
  assert.deepEqual([status, body.code], [201, undefined])
}

function list(room: Room, trader: Trader): Promise<Answer> {
  return room.ask(trader, endpoints.positions.path)
}

function printAnswer({ body, status }: Answer): void {
  console.log(`   answered ${status} ${body.code ?? ''}`)
}

/** The documented answer of a call that may be made again. */
function assertUnavailable({ body, retryAfter, status }: Answer): void {
  assert.deepEqual([status, body.code, retryAfter], [503, 'unavailable', '5'])
}

function given(proxy: TcpProxy | null): TcpProxy {
  assert.ok(proxy)
  return proxy
}
