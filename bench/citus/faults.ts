import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { endpoints } from '../../contract/src/endpoints.ts'
import { runOn } from '../../server/test/standby.ts'
import type { TcpProxy } from '../../server/test/tcp-proxy.ts'
import { print } from '../faults/delivery-checks.ts'
import { awaitWhole, look } from './fault-checks.ts'
import { type Answer, inRoom, type Room, type Trader } from './fault-room.ts'

const BACK_WITHIN_MS = 15_000
const SYMBOL = 'ACME'
/** As the whole of a request; READ COMMITTED is in others. */
const COMMIT = 'COMMIT\0'

const runs: Record<string, (bin: string) => Promise<void>> = {
  'commit-coordinator-killed': (bin) =>
    inRoom(bin, (room) =>
      committedInPart(room, async () => {
        await room.cluster.coordinator.kill()
        await room.cluster.coordinator.start()
      }),
    ),
  'commit-answer-lost': (bin) => inRoom(bin, (room) => committedInPart(room, async (proxy) => proxy.cut())),
  'commit-not-arrived': (bin) => inRoom(bin, notCommitted),
  'node-stopped': (bin) => inRoom(bin, nodeStopped),
}

/**
 * What a cluster adds to the faults of one PostgreSQL. Each run prints figures and throws when one is violated.
 * @param names beginnings of names; all unless given
 * @returns whether all held
 */
export async function faultsOfCitus(bin: string, names: string[]): Promise<boolean> {
  let held = true
  for (const [name, run] of Object.entries(runs)) {
    if (names.length > 0 && !names.some((prefix) => name.startsWith(prefix))) continue
    console.log(`\n── ${name}`)
    try {
      await run(bin)
      console.log(`── ${name}: held`)
    } catch (error) {
      held = false
      console.error(`── ${name}: VIOLATED`, error)
    }
  }
  return held
}

/** The node has committed what it has of an opening, and the coordinator, whose part comes after, never hears of it. */
async function committedInPart(room: Room, fail: (proxy: TcpProxy) => Promise<void>): Promise<void> {
  const { scenario, trader } = room
  const payload = await room.checkPrice(trader, SYMBOL)
  const { node, proxy, shard } = await room.placeOf(trader)
  const reached = proxy.loseAnswerTo(COMMIT)
  const answer = room.ask(trader, endpoints.openPosition.path, payload)
  await reached
  const stands = `select from ${shard} where trader_id = '${trader.userId}'`
  while ((await runOn(node.url, stands)).length === 0) await pause(5)
  await fail(proxy)
  const told = await answer
  tell(told)
  assert.notEqual(told.status, 201)
  assert.equal(
    (await look(room)).lastEventNo,
    0,
    'the coordinator has its part: this was not the fault that was meant',
  )
  // Only now, since it says COMMIT to nodes too.
  const began = performance.now()
  await scenario.startWorker({ systemClock: true })
  await awaitWhole(room, { opened: 1 }, BACK_WITHIN_MS)
  print({ 'whole again after, ms': Math.round(performance.now() - began) })
  const again = await room.ask(trader, endpoints.openPosition.path, await room.checkPrice(trader, SYMBOL))
  assert.deepEqual([again.status, again.body.code], [409, 'position_exists'])
}

/** The node never hears of the commit: nothing of the opening may stand, on the coordinator neither. */
async function notCommitted(room: Room): Promise<void> {
  const { scenario, trader } = room
  const payload = await room.checkPrice(trader, SYMBOL)
  const { proxy } = await room.placeOf(trader)
  const lost = proxy.loseRequest(COMMIT)
  const answer = room.ask(trader, endpoints.openPosition.path, payload)
  await lost
  const told = await answer
  tell(told)
  assert.notEqual(told.status, 201)
  await scenario.startWorker({ systemClock: true })
  await awaitWhole(room, { opened: 0 }, BACK_WITHIN_MS)
  const again = await room.ask(trader, endpoints.openPosition.path, payload)
  assert.equal(again.status, 201, 'the key is as good as before')
  await awaitWhole(room, { opened: 1 }, BACK_WITHIN_MS)
}

/** Whose rows are on a node that is away is told to come again; others go on, and everybody does once it is back. */
async function nodeStopped(room: Room): Promise<void> {
  const [here, there] = await room.tradersApart()
  for (const trader of [here, there]) assert.equal((await openOne(room, trader, 'FIRST')).status, 201)
  const { node } = await room.placeOf(there)
  await node.stop()
  try {
    for (const answer of [await openOne(room, here, 'SECOND'), await list(room, here)])
      assert.equal(answer.status, 200)
    for (const call of [() => room.checkAnswer(there, 'SECOND'), () => list(room, there)]) {
      const began = performance.now()
      const answer = await call()
      print({ 'answered after, ms': Math.round(performance.now() - began) })
      tell(answer)
      assert.deepEqual([answer.status, answer.body.code, answer.retryAfter], [503, 'unavailable', '5'])
    }
  } finally {
    await node.start()
  }
  const began = performance.now()
  while ((await list(room, there)).status !== 200) {
    assert.ok(performance.now() - began < BACK_WITHIN_MS, 'not back')
    await pause(50)
  }
  print({ 'back after, ms': Math.round(performance.now() - began) })
  assert.equal((await openOne(room, there, 'SECOND')).status, 201)
}

async function openOne(room: Room, trader: Trader, symbol: string): Promise<Answer> {
  return room.ask(trader, endpoints.openPosition.path, await room.checkPrice(trader, symbol))
}

function list(room: Room, trader: Trader): Promise<Answer> {
  return room.ask(trader, endpoints.positions.path)
}

function tell({ body, status }: Answer): void {
  console.log(`   answered ${status} ${body.code ?? ''}`)
}
