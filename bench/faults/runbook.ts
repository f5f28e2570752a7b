/**
 * Provokes the subject of each page of docs/runbook, once, on the product as it runs in production, and prints what it logs and answers:
 * the lines of those pages. Throws when the product answers otherwise, or does not go on afterwards.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { endpoints } from '../../contract/src/endpoints.ts'
import { makeTrader, NOTES, type Trader } from '../../server/test/factories.ts'
import { addFollowers } from '../../server/test/followers.ts'
import { selfSignedCertificate } from '../../server/test/mails/self-signed-certificate.ts'
import { type Answer, ask, until } from './money-scenario.ts'
import { inRunbookWorld, type RunbookWorld } from './runbook-world.ts'
import { fillDisk, onSmallDisk, type SmallDisk } from './small-disk.ts'

const FOLLOWERS = 5
const PATIENCE_MS = 300_000

export const runs: Record<string, () => Promise<void>> = {
  'runbook-disk-full': () => onSmallDisk(diskFull),
  'runbook-certificate-ended': () => inRunbookWorld(certificateEnded),
  'runbook-provider-away': () => inRunbookWorld(providerAway),
  'runbook-relay-lists-us': () => inRunbookWorld(relayListsUs),
  'runbook-database-slow': () => inRunbookWorld(databaseSlow),
  'runbook-reader-stuck': () => inRunbookWorld(readerStuck),
}

async function diskFull(disk: SmallDisk): Promise<void> {
  await inRunbookWorld(async (world) => {
    const trader = await makePublisher(world)
    fillDisk(disk)
    await useReserve(world)
    const write = () =>
      ask(world.origin, trader, endpoints.sendFeedback, { body: { feedback: 'I like it a lot.' } })
    printAnswer('a call that writes', await write())
    await world.logged('the disk of the database is full')
    await readiness(world, '503 full')
    rmSync(disk.filler)
    await until(
      async () => (await write()).status === 201,
      PATIENCE_MS,
      () => 'nothing is written',
    )
    await readiness(world, '200 true')
    await world.logged('the database can write to its disk again')
  }, disk.folder)
}

async function certificateEnded(world: RunbookWorld): Promise<void> {
  const { front, sink } = world
  const trader = await makePublisher(world)
  front.fault = () => 'ended'
  await open(world, trader, 'AAPL')
  assert.match(await world.logged('mails wait for the mail server'), /CERT_HAS_EXPIRED/)
  assert.equal(sink.total(), 0)
  front.fault = () => null
  await everybodyMailed(world, 1)
  // Our own certificate, which browsers, balancers and Stripe meet.
  const ended = selfSignedCertificate({ ip: '127.0.0.1', until: 2020 })
  const server = createServer(ended, (_, response) => response.end())
  server.listen(0, '127.0.0.1')
  await until(
    async () => server.listening,
    PATIENCE_MS,
    () => 'it does not listen',
  )
  const { port } = server.address() as AddressInfo
  const refused = await new Promise<NodeJS.ErrnoException>((resolve) =>
    request({ host: '127.0.0.1', port, ca: ended.cert }).on('error', resolve).end(),
  )
  console.log(`   a client: ${refused.code} ${refused.message}`)
  assert.equal(refused.code, 'CERT_HAS_EXPIRED')
  server.close()
}

async function providerAway(world: RunbookWorld): Promise<void> {
  const { origin, quotes, sandbox } = world
  const trader = await makePublisher(world)
  await quotes.close()
  printAnswer('Check Price', await ask(origin, trader, endpoints.preview, { body: { symbol: 'AAPL' } }))
  await world.logged('the price provider did not answer')
  for (const path of ['/v1/customers', '/v2/core/accounts'])
    for (let nth = 0; nth < 4; nth += 1)
      await sandbox.control('fault', { kind: 'error', method: 'POST', path })
  const setUp = () => ask(origin, trader, endpoints.setUpCustomer)
  printAnswer('Set up payments', await setUp())
  await world.logged('Stripe did not do what it was asked')
  await readiness(world, '200 true')
  await sandbox.control('calm')
  await until(
    async () => (await setUp()).status === 200,
    PATIENCE_MS,
    () => 'Stripe stays away',
  )
}

async function relayListsUs(world: RunbookWorld): Promise<void> {
  const { database, sink } = world
  const trader = await makePublisher(world)
  sink.script = { sender: () => '550 5.7.1 Service unavailable; client host is on a block list' }
  await open(world, trader, 'AAPL')
  await world.logged('the mail server refuses our mails; they wait')
  await show(world, 'select holds, held_until - held_at as pause from delivery_ranges where done_at is null')
  await show(world, "select kind, facts->>'subject' as subject, fault from outbox where ended_at is null")
  sink.script = {}
  // Not a quarter of an hour for the run.
  await until(
    async () => {
      await database.pool.query(
        'update delivery_ranges set held_until = now() where done_at is null and held_until is not null',
      )
      return sink.byRecipient.size > FOLLOWERS
    },
    PATIENCE_MS,
    () => `mailed: ${sink.byRecipient.size}`,
  )
  console.log(`   mailed afterwards: ${sink.byRecipient.size}, the operator included; suppressed: 0`)
  await show(world, 'select count(*)::int as suppressed from suppressions')
}

async function databaseSlow(world: RunbookWorld): Promise<void> {
  const { origin, proxy } = world
  const trader = await makePublisher(world)
  const look = () => ask(origin, trader, endpoints.positions)
  assert.equal((await look()).status, 200)
  proxy.stall()
  const began = performance.now()
  printAnswer('any call', await look())
  console.log(`   answered after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  await readiness(world, '503 false')
  await world.logged('a worker waits for the database')
  proxy.resume()
  await until(
    async () => (await look()).status === 200,
    PATIENCE_MS,
    () => 'it stays slow',
  )
  await readiness(world, '200 true')
  await open(world, trader, 'AAPL')
  await everybodyMailed(world, 1)
}

async function readerStuck(world: RunbookWorld): Promise<void> {
  const { database, sink } = world
  const trader = await makePublisher(world)
  await database.pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'column "channel" is not as it was'; end $$`)
  await database.pool.query(
    'create trigger broken before insert on mail_plans for each row execute function refuse()',
  )
  await open(world, trader, 'AAPL')
  await world.logged('an event was read without success')
  await show(world, 'select reader, tries, parked_at is not null as parked, last_fault from event_work')
  // Not an hour for the run.
  const parked = async () => {
    await database.pool.query(
      'update event_work set tries = 19, retry_at = now() where tries between 1 and 18 and lease_owner is null',
    )
    return (await world.operator('events')) !== 'No event was given up.'
  }
  await until(parked, PATIENCE_MS, () => 'it is tried on')
  console.log(`   events: ${await world.operator('events')}`)
  await until(
    async () => sink.byRecipient.size === 1,
    PATIENCE_MS,
    () => 'the operator is not mailed',
  )
  console.log(`   mailed: ${/^Subject: .*$/m.exec(sink.kept[0]?.raw ?? '')?.[0]}`)
  await database.pool.query('drop trigger broken on mail_plans')
  console.log(`   events retry mail: ${await world.operator('events', 'retry', 'mail')}`)
  await everybodyMailed(world, 1)
  console.log(`   events: ${await world.operator('events')}`)
}

async function makePublisher({ database, testApp }: RunbookWorld): Promise<Trader> {
  const trader = await makeTrader(testApp, 'maria')
  await addFollowers(database.pool, { ...trader, traderId: trader.userId }, FOLLOWERS, new Date())
  return trader
}

async function open({ origin, quotes }: RunbookWorld, who: Trader, symbol: string): Promise<void> {
  quotes.set(symbol, { price: 100, at: new Date() })
  const { json } = await ask(origin, who, endpoints.preview, { body: { symbol } })
  const position = { symbol, key: json.key, openNotes: NOTES, positionLength: 'one_to_three_weeks' }
  const { status } = await ask(origin, who, endpoints.openPosition, { body: position })
  assert.equal(status, 201)
}

async function everybodyMailed({ sink }: RunbookWorld, events: number): Promise<void> {
  const mailed = () =>
    [...sink.byRecipient.keys()].filter((address) => address.endsWith('@maria.example')).length
  await until(
    async () => mailed() === FOLLOWERS * events,
    PATIENCE_MS,
    () => `mailed: ${mailed()}`,
  )
  console.log(`   mailed afterwards: ${mailed()} of ${FOLLOWERS}`)
}

function printAnswer(what: string, { code, status }: Answer): void {
  console.log(`   ${what}: ${status} ${code}`)
}

async function readiness({ origin }: RunbookWorld, wanted: string): Promise<void> {
  const look = async () => {
    const answer = await fetch(`${origin}/readyz`)
    const text = await answer.text()
    return { is: `${answer.status} ${JSON.parse(text).database}`, text }
  }
  await until(
    async () => (await look()).is === wanted,
    PATIENCE_MS,
    async () => (await look()).text,
  )
  console.log(`   /readyz: ${(await look()).text}`)
}

async function show({ database }: RunbookWorld, sql: string): Promise<void> {
  const { rows } = await database.pool.query<Record<string, unknown>>(sql)
  console.log(`   ${JSON.stringify(rows)}`)
}

/** PostgreSQL has reserved some space, in which writes still succeed. */
async function useReserve({ database }: RunbookWorld): Promise<void> {
  const write = () =>
    database.pool.query(
      "insert into symbols select upper(gen_random_uuid()::text), repeat('x', 100) from generate_series(1, 2000)",
    )
  for (;;) {
    const refused = await write().then(
      () => null,
      (error: { code?: string }) => error.code,
    )
    if (refused === '53100') return
    assert.equal(refused, null)
  }
}
