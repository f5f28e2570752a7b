/**
 * `npm run faults -- real-mail`: Postfix, Exim and OpenSMTPD of Debian as the relay, Dovecot as the mailbox of bounces, unpacked
 * into a folder of their own and started on loopback ports. The relays take mails after STARTTLS with a certificate of a local
 * authority, limit what a session brings, defer every recipient once, and are reloaded and stopped in the middle; mails are counted where
 * the server has put them. It prints what could not be had here. `REAL_MAILS` changes the size.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { NotHere } from './debian-packages.ts'
import { allRangesDone, print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'
import { countMails, readMaildir } from './maildir.ts'
import { bouncesRead } from './real-mailbox.ts'
import { type RELAYS, type Relay, startRelay } from './real-relays.ts'

const MAILS = Number(process.env.REAL_MAILS ?? 2000)
/** Of one event, however slow the machine. */
const LIMIT_MS = 900_000
const DISTRUST_MS = 6000
const DOWN_MS = 2000
const CLOCK_STEP_MS = 60_000

export const runs: Record<string, () => Promise<void>> = {
  'real-mail-postfix': () => overRelay('postfix'),
  'real-mail-exim': () => overRelay('exim'),
  'real-mail-opensmtpd': () => overRelay('opensmtpd'),
  'real-mail-dovecot': () => unlessMissing(bouncesRead),
}

async function unlessMissing(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    console.log(`   left out: ${error.message}`)
  }
}

function overRelay(name: keyof typeof RELAYS): Promise<void> {
  return unlessMissing(async () => {
    await using relay = await startRelay(name)
    await inScenario((scenario) => through(relay, scenario), { followers: MAILS })
  })
}

/** One event after the other, so that each fault is met by mails of its own. */
async function through(relay: Relay, scenario: Scenario): Promise<void> {
  for (const [what, why] of Object.entries(relay.without))
    if (why !== null) console.log(`   left out (${what}): ${why}`)
  const front = { url: relay.url, trusted: [relay.root.authority] }
  if (relay.without.tls === null) await distrusted(relay, scenario)
  else await scenario.publish('AAPL')
  const before = connections(relay)
  const worker = await scenario.startWorker({ front })
  const limited = await untilNotified(relay, scenario, 1)
  const sessions = connections(relay) - before
  console.log(`   limit: ${relay.limit}`)
  print({ 'mails of one event, limited, s': limited, 'connections for them': sessions })
  await interrupted(relay, scenario)
  if (relay.without.greylist === null) {
    relay.greylist()
    await scenario.publish('GREY')
    const seconds = await untilNotified(relay, scenario, 3)
    print({ [`all of them, ${relay.greylisted} deferred once, s`]: seconds })
  }
  assert.equal(await worker.stop(), 0)
}

/** An authority that nobody has named: no mail goes. */
async function distrusted(relay: Relay, scenario: Scenario): Promise<void> {
  const worker = await scenario.startWorker({ front: { url: relay.url, trusted: [] } })
  await scenario.publish('AAPL')
  await pause(DISTRUST_MS)
  assert.ok(connections(relay) > 0, 'the server was not asked')
  assert.equal(countMails(relay.maildir), 0, 'a mail went to a server whose authority nobody knows')
  assert.equal(await worker.stop(), 0)
}

/** Reloaded after a quarter, stopped after a half and started again. */
async function interrupted(relay: Relay, scenario: Scenario): Promise<void> {
  await scenario.publish('MSFT')
  await untilThere(relay, scenario, 1.25 * MAILS)
  if (relay.without.reload === null) relay.server.reload()
  await untilThere(relay, scenario, 1.5 * MAILS)
  await relay.server.stop()
  const stopped = countMails(relay.maildir)
  await pause(DOWN_MS)
  await relay.startAgain()
  const seconds = await untilNotified(relay, scenario, 2)
  print({ 'there when it was stopped': stopped - MAILS, 'all of them after, s': seconds })
}

/** Resolves when everybody has the mail of each event, once. @returns seconds */
async function untilNotified(relay: Relay, scenario: Scenario, events: number): Promise<number> {
  const began = performance.now()
  await untilThere(relay, scenario, events * MAILS)
  await allRangesDone(scenario)
  const seconds = Math.round((performance.now() - began) / 100) / 10
  // A repeated mail comes behind the first.
  await pause(1000)
  const held = readMaildir(relay.maildir)
  const repeats = held.repeated
  assert.equal(held.byMessageId.size, events * MAILS)
  assert.deepEqual([...held.byRecipient.keys()].sort(), [...scenario.followers].sort())
  assert.ok(
    [...held.byRecipient.values()].every((mails) => mails === events),
    'somebody lacks a mail',
  )
  print({ 'lost so far': events * MAILS - held.byMessageId.size, 'repeated so far': repeats })
  // A mail that it had taken and not confirmed when it was stopped is sent again: one a connection at most.
  assert.ok(repeats <= (events > 1 ? scenario.connections : 0), `${repeats} mails were repeated`)
  assert.equal(await scenario.ask('select count(*) from suppressions'), 0)
  return seconds
}

/** Waits; as long as nothing comes, time passes for the product, so that what waits for another try is due. */
async function untilThere(relay: Relay, scenario: Scenario, mails: number): Promise<void> {
  const limit = performance.now() + LIMIT_MS
  let seen = countMails(relay.maildir)
  let looks = 0
  while (distinct(relay, mails) < mails) {
    if (performance.now() > limit)
      throw new Error(`${countMails(relay.maildir)} of ${mails} mails came in time; ${tailOf(relay)}`)
    await pause(50)
    const now = countMails(relay.maildir)
    looks = now === seen ? looks + 1 : 0
    seen = now
    if (looks === 40) {
      pass(scenario, CLOCK_STEP_MS)
      looks = 0
    }
  }
}

/** Files are counted until there are enough, and then mails. */
function distinct(relay: Relay, mails: number): number {
  const files = countMails(relay.maildir)
  return files < mails ? files : readMaildir(relay.maildir).byMessageId.size
}

const passed = new WeakMap<Scenario, number>()

function pass(scenario: Scenario, milliseconds: number): void {
  const all = (passed.get(scenario) ?? 0) + milliseconds
  passed.set(scenario, all)
  writeFileSync(scenario.clockFile, String(all))
}

function connections({ connected, log }: Relay): number {
  return readLog(log).filter((line) => connected.test(line)).length
}

function tailOf({ log }: Relay): string {
  return `its log ends with\n${readLog(log).slice(-10).join('\n')}`
}

function readLog(log: string): string[] {
  try {
    return readFileSync(log, 'utf8').split('\n')
  } catch {
    return []
  }
}
