/**
 * Fills the disk of a PostgreSQL, a small tmpfs, to the last byte while the product runs, and frees it again: calls
 * that write are answered 503, /readyz answers why, and the product recovers without help. Needs permission to mount.
 * Prints figures and throws when one of them breaks its bound.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../../server/src/dev/embedded-postgres.ts'
import { connectDatabase } from '../../server/src/platform/database/database.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import { startWorker } from '../../server/src/worker.ts'
import { buildTestApp, type TestApp } from '../../server/test/build-test-app.ts'
import { call } from '../../server/test/factories.ts'
import { startCountingSink } from '../../server/test/mails/counting-sink.ts'
import { signIn } from '../../server/test/sign-in/sign-in.ts'
import { print } from './delivery-checks.ts'
import { fillDisk, onSmallDisk, type SmallDisk } from './small-disk.ts'

/** Writes that are tried on the full disk, until this many were refused. */
const MOST_WRITES = 5000
const REFUSALS_WANTED = 20
const PATIENCE_MS = 10_000

export const runs: Record<string, () => Promise<void>> = { 'R7-full-disk': () => onSmallDisk(onDisk) }

async function onDisk(disk: SmallDisk): Promise<void> {
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: join(disk.folder, 'data'), log })
  const sink = await startCountingSink()
  try {
    await migrate(postgres.url, log)
    const database = { ...connectDatabase({ url: postgres.url, size: 8, log }), url: postgres.url }
    await using testApp = await buildTestApp({ database, settings: { limitsOn: false } })
    const { calls, clock, provider, settings } = testApp
    const mail = { ...testApp.settings.mail, smtpUrl: sink.url, connections: 2 }
    const worker = await startWorker({
      db: database.db,
      databaseUrl: postgres.url,
      dropIdle: database.dropIdle,
      clock,
      log,
      provider,
      calls,
      settings: { ...settings, mail },
    })
    await fillAndFree(testApp, disk)
    await worker.stop()
    await database.close()
  } finally {
    await sink.close()
    await postgres.stop()
  }
}

async function fillAndFree(testApp: TestApp, disk: SmallDisk): Promise<void> {
  const person = await signIn(testApp)
  let number = 0
  const write = async () => {
    number += 1
    // The number makes each text new: the same words of the same person are stored once (rule G-64).
    const feedback = `${number}: ${'x'.repeat(480)}`
    return (await call(testApp, person, 'POST', '/v1/feedback', { feedback })).status
  }
  const readiness = async () => {
    const answer = await testApp.app.inject({ url: '/readyz' })
    return `${answer.statusCode} ${answer.json().database}`
  }
  assert.equal(await write(), 201)
  assert.equal(await until(readiness, '200 true'), '200 true')
  fillDisk(disk)
  const statuses = new Map<number, number>()
  // PostgreSQL has reserved some space, so the first writes still succeed.
  for (let attempt = 0; attempt < MOST_WRITES && (statuses.get(503) ?? 0) < REFUSALS_WANTED; attempt += 1) {
    const status = await write()
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const whileFull = await readiness()
  rmSync(disk.filler)
  const freed = performance.now()
  assert.equal(await until(async () => String(await write()), '201'), '201')
  const writesAfter = performance.now() - freed
  assert.equal(await until(readiness, '200 true'), '200 true')
  print({
    'writes answered 201 while full': statuses.get(201) ?? 0,
    'writes answered 503': statuses.get(503) ?? 0,
    'writes go on after, ms': Math.round(writesAfter),
    'ready after, ms': Math.round(performance.now() - freed),
  })
  assert.equal(whileFull, '503 full')
  assert.deepEqual(
    [...statuses.keys()].filter((status) => status !== 201 && status !== 503),
    [],
  )
}

/** Asks until the wanted answer comes, for ten seconds at most. @returns the last answer */
async function until(ask: () => Promise<string>, wanted: string): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer === wanted || performance.now() > deadline) return answer
    await pause(50)
  }
}
