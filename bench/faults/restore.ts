/**
 * The database lost under load, and brought back: from a file, which is of an earlier moment, and from a copy of the server's files with
 * the archived log, which reaches to the end. People buy, a trader opens and closes, thousands are mailed; Stripe and the mail server stay and
 * remember everything. `RESTORE_FOLLOWERS` changes the size (3000). Prints figures and throws when one is violated; needs a
 * PostgreSQL of the system's with its programs.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectionEnvironment } from '../../server/src/backup/connection-environment.ts'
import { runOn } from '../../server/test/database/standby.ts'
import { findSystemPostgres } from '../../server/test/database/system-postgres.ts'
import { print } from './attack-scenario.ts'
import { until } from './money-scenario.ts'
import { requireWholeRecord } from './record-checks.ts'
import { allMailsGone, checkBooks, checkMails, mailsOf } from './restore-checks.ts'
import { type Load, startLoad } from './restore-load.ts'
import { inRestoreWorld, type RestoreWorld } from './restore-world.ts'
import { lostTrades, tradesThatStand } from './trading.ts'

const MAILED_WITHIN_MS = 300_000

export const runs: Record<string, () => Promise<void>> = {
  'restore-file': () => onSystem(fromFile),
  'restore-log': () => onSystem(fromLog),
}

async function onSystem(work: (world: RestoreWorld) => Promise<void>): Promise<void> {
  const bin = findSystemPostgres()
  if (!bin) console.log('   skipped: no PostgreSQL with its programs is installed here')
  else await inRestoreWorld(bin, work)
}

async function fromFile(world: RestoreWorld): Promise<void> {
  const load = await startLoad(world)
  const file = join(world.home, 'product.backup')
  await load.publish('MOMENT')
  const began = performance.now()
  console.log(`   ${(await world.operator('backup', file)).replaceAll('\n', '\n   ')}`)
  const taken = performance.now() - began
  await load.letTheRestIn()
  await loseNews(world, load)
  await load.end()
  const before = await tradesThatStand(world.database.pool)
  await world.killProduct()
  await world.loseServer()
  await moveMoneyMeanwhile(world)
  await world.replaceServer()
  const back = performance.now()
  await world.operator('backup:restore', file)
  const owed = await mailsOf(world)
  await assert.rejects(world.start(), 'a process started before the restore was settled')
  console.log(`   ${(await world.operator('backup:settle')).replaceAll('\n', '\n   ')}`)
  const restored = performance.now() - back
  load.hurry()
  await world.start()
  const after = await tradesThatStand(world.database.pool)
  await settleDown(world)
  const mails = checkMails(world, owed)
  await checkNews(world, load)
  const record = await resumeRecord(world)
  print({
    'backup took, ms': Math.round(taken),
    'size, MB': Math.round(statSync(file).size / 1e5) / 10,
    'restored and settled in, ms': Math.round(restored),
    'opens and closes of after the moment, gone': before.events - after.events,
    ...mails,
    ...record,
    ...(await checkBooks(world, load)),
  })
}

/** The restored database has fewer entries than were signed: nothing is logged until the gap is published, and then everything is. */
async function resumeRecord(world: RestoreWorld) {
  const waiting = "select count(*) from event_work where reader = 'record'"
  assert.ok((await world.count(waiting)) > 0, 'the record went on although entries are lost')
  console.log(`   ${await world.operator('record', 'resume')}`)
  await until(
    async () => (await world.count(waiting)) === 0,
    MAILED_WITHIN_MS,
    () => 'events wait for the record',
  )
  assert.equal(await world.count('select count(*) from record_gaps'), 1)
  return requireWholeRecord(world.database)
}

async function fromLog(world: RestoreWorld): Promise<void> {
  const archive = await startArchive(world)
  const load = await startLoad(world)
  const copy = join(world.home, 'copy')
  const began = performance.now()
  await world.operator('backup:base', copy)
  const taken = performance.now() - began
  await load.letTheRestIn()
  await load.publish('LAST')
  await load.end()
  await world.killProduct()
  await world.loseServer()
  await archive.ended
  await moveMoneyMeanwhile(world)
  const back = performance.now()
  await recover(world, copy, archive.folder)
  const restored = performance.now() - back
  const stands = await tradesThatStand(world.database.pool)
  const lost = lostTrades(load.trading, stands)
  assert.equal(lost, 0, 'what was answered is gone')
  const owed = await mailsOf(world)
  load.hurry()
  await world.start()
  await settleDown(world)
  print({
    'base backup took, ms': Math.round(taken),
    'recovered in, ms': Math.round(restored),
    'opens and closes that were answered': load.trading.opened.length + load.trading.closed.length,
    'of them lost': lost,
    ...checkMails(world, owed),
    ...(await checkBooks(world, load)),
  })
}

/** Publishes after the moment, and waits for a mail of it: the restored database gives its number again, unless numbers are left out. */
async function loseNews({ sink }: RestoreWorld, load: Load): Promise<void> {
  const ofPublisher = () =>
    [...sink.byMessageId.keys()]
      .filter((id) => id.includes(load.publisherId))
      .map((id) => /\d+/.exec(id)?.[0])
  await load.publish('GONE')
  await until(
    async () => new Set(ofPublisher()).size > 1,
    MAILED_WITHIN_MS,
    () => 'nobody is mailed',
  )
}

/** While the product is away somebody ends a subscription in Stripe's dashboard, and a payment goes back. */
async function moveMoneyMeanwhile({ stripe }: RestoreWorld): Promise<void> {
  const [ended, returned] = (await stripe.subscriptions.list({ limit: 2 })).data
  assert.ok(ended && returned)
  await stripe.subscriptions.cancel(ended.id)
  const charges = await stripe.charges.list({ customer: String(returned.customer), limit: 10 })
  const charge = charges.data.find((one) => one.amount - one.amount_refunded >= 100 && !one.disputed)
  if (charge)
    await stripe.refunds.create({
      charge: charge.id,
      amount: 100,
      reverse_transfer: true,
      refund_application_fee: true,
    })
}

/** Nothing is left to do of money, and no mail is left to send. */
async function settleDown(world: RestoreWorld): Promise<void> {
  await until(
    () => allMailsGone(world),
    MAILED_WITHIN_MS,
    () => 'mails wait',
  )
  await world.quiet()
}

/** An event after the restore is mailed to everybody, under Message-IDs that no mail had. */
async function checkNews(world: RestoreWorld, load: Load): Promise<void> {
  const { sink } = world
  const before = sink.byMessageId.size
  await load.signPublisherIn()
  await load.publish('NEWS')
  const audience = await world.count(
    'select count(*) from subscriptions where trader_id = $1',
    load.publisherId,
  )
  await until(
    () => allMailsGone(world),
    MAILED_WITHIN_MS,
    () => 'the news waits',
  )
  assert.equal(
    sink.byMessageId.size - before,
    audience,
    'the news did not reach everybody under a name of its own',
  )
}

/** The log archived as docs/backups.md has it. Ends with the server. */
async function startArchive(world: RestoreWorld) {
  const folder = join(world.home, 'log')
  mkdirSync(folder)
  const { url } = world
  await runOn(url, "select pg_create_physical_replication_slot('archive')")
  const receive = spawn(
    join(world.bin, 'pg_receivewal'),
    ['--no-loop', '--no-password', `--directory=${folder}`, '--slot=archive', '--synchronous'],
    { stdio: 'ignore', env: { PATH: process.env.PATH, ...connectionEnvironment(url) } },
  )
  const ended = new Promise((resolve) => receive.once('exit', resolve))
  // From now on a commit waits for the archive: an answered order is in it.
  await runOn(url, "alter system set synchronous_standby_names = 'pg_receivewal'", 'select pg_reload_conf()')
  return { folder, ended }
}

/** Puts the copy in the place of the server, and lets it read the log to its end. */
async function recover(world: RestoreWorld, copy: string, log: string): Promise<void> {
  for (const name of readdirSync(log).filter((one) => one.endsWith('.partial')))
    renameSync(join(log, name), join(log, name.replace('.partial', '')))
  const cluster = join(world.home, 'recovered')
  cpSync(copy, cluster, { recursive: true, verbatimSymlinks: true })
  const settings = [`restore_command = 'cp ${log}/%f %p'`, "synchronous_standby_names = ''"]
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  writeFileSync(join(cluster, 'recovery.signal'), '')
  await world.replaceServer(cluster)
}
