import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeCrowdTrader, publish } from '../server/test/followers.ts'
import { inScenario, type Scenario } from './faults/delivery-scenario.ts'
import { MAIN, startServer } from './server-process.ts'
import { hasGo } from './stripe-mock/mock-process.ts'

const run = promisify(execFile)

/** More than three full tiles, and a part of another. */
const ENTRIES = 823
const TRADERS = 5
const LOOK_EVERY_MS = 100

/**
 * A second judge of the public record: the packages of Go's checksum database read it from a running product, check its signature, its tree
 * and every proof, and refuse it with a wrong byte. Where Go is not installed it only prints so.
 * @throws when they refuse the record, or accept a wrong byte
 */
export async function benchRecordReferee(): Promise<void> {
  console.log('\nthe public record beside golang.org/x/mod/sumdb')
  if (!hasGo())
    return console.log('  left out: it takes Go (https://go.dev/dl), which is not on this machine')
  await inScenario(judge, { followers: 1 })
}

async function judge(scenario: Scenario): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-referee-'))
  await fillRecord(scenario)
  const api = await startServer([MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: scenario.database.url,
    DATA_DIR: folder,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  })
  try {
    const referee = join(folder, 'referee')
    await run('go', ['build', '-o', referee, '.'], { cwd: join(import.meta.dirname, 'record-referee') })
    const { stdout } = await run(referee, [`http://127.0.0.1:${api.port}`])
    console.log(stdout.trimEnd().replaceAll(/^/gm, '  '))
  } finally {
    await api.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Traders publish, and a worker logs it. */
async function fillRecord({ ask, database: { db, pool }, startWorker }: Scenario): Promise<void> {
  const names = Array.from({ length: TRADERS }, (_, nth) => `trader${nth + 1}`)
  const traders = await Promise.all(names.map((name) => makeCrowdTrader(pool, name, new Date())))
  await startWorker({ systemClock: true })
  await Promise.all(
    traders.map(async (trader, nth) => {
      for (let at = nth; at < ENTRIES; at += TRADERS)
        await publish(db, trader, { symbol: `S${at}` }, new Date())
    }),
  )
  while ((await ask('select size from record_head')) < ENTRIES) await pause(LOOK_EVERY_MS)
}
