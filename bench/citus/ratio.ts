import { connectDatabase } from '../../server/src/platform/database/database.ts'
import { DatabaseClient } from '../../server/src/platform/database/database-client.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import { silentLog } from '../../server/test/database/database.ts'
import { runOn } from '../../server/test/database/standby.ts'
import { median } from '../ratio.ts'
import { openServers, startCluster } from './cluster.ts'
import { type Side, type Work, works } from './ratio-works.ts'
import { fillRatioWorld } from './ratio-world.ts'

const ROUNDS = 5
const ROUND_MS = 1000
const CONNECTIONS = 4
/** Of which some numbers stay unused, so that two rounds never publish the same. */
const NUMBERS_OF_A_ROUND = 2000
/** So many are prepared, then done. */
const PART = 200
/** As PostgreSQL is installed: commits wait for the disk. */
const SAFE = ['fsync=on', 'full_page_writes=on']

type Round = { rate: number; p50: number }

/**
 * The product's own functions on a coordinator with two nodes, and on one PostgreSQL of the same programs and settings, in turn.
 * Prints a table.
 * @param names parts of the names of works; all unless given
 * @returns whether no ratio is below its bar
 */
export async function ratioOfCitus(bin: string, names: string[]): Promise<boolean> {
  await using servers = openServers(bin, SAFE)
  const { coordinator, workers } = await startCluster(servers)
  const plain = await servers.start('plain')
  const all = [plain, coordinator, ...workers]
  await migrate(plain.url, silentLog)
  const sides: Side[] = []
  for (const [name, { url }] of Object.entries({ plain, Citus: coordinator })) {
    const began = performance.now()
    await fillRatioWorld(url)
    console.log(`${name}: filled in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    sides.push(await openSide(name, url))
  }
  console.log(
    `\n| work | plain/s | Citus/s | ratio [range] | p50 plain | p50 Citus, ms | bar |\n|---|---|---|---|---|---|---|`,
  )
  let held = true
  const wanted = works.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
  for (const work of wanted) {
    await Promise.all(all.map(({ url }) => slowDiskDown(url, work.diskMs ?? 0)))
    held = (await measure(work, sides)) && held
  }
  for (const { database, session } of sides) await Promise.all([database.close(), session.end()])
  return held
}

async function openSide(name: string, url: string): Promise<Side> {
  const session = new DatabaseClient({ connectionString: url })
  await session.connect()
  return { name, session, database: connectDatabase({ url, size: CONNECTIONS, log: silentLog }) }
}

/** Has a server wait for so long before each flush of its log, as on a disk that takes longer; commits meanwhile share the flush. */
async function slowDiskDown(url: string, ms: number): Promise<void> {
  await runOn(
    url,
    'alter system set commit_siblings = 0',
    `alter system set commit_delay = ${ms * 1000}`,
    'select pg_reload_conf()',
  )
}

async function measure(work: Work, sides: Side[]): Promise<boolean> {
  const rounds: Round[][] = sides.map(() => [])
  try {
    // The first round is not counted: statements are prepared, caches are filled.
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [index, side] of sides.entries()) {
        const measured = await runRound(work, side, (work.from ?? 0) + round * NUMBERS_OF_A_ROUND)
        if (round > 0) rounds[index]?.push(measured)
      }
  } catch (error) {
    console.log(`| ${work.name} | refused: ${(error as Error).message} |`)
    return false
  }
  return judge(work, rounds)
}

function judge({ bar, name }: Work, [plain = [], citus = []]: Round[][]): boolean {
  const ratios = plain.map(({ rate }, round) => (citus[round]?.rate ?? 0) / rate)
  const rate = (rounds: Round[]) => median(rounds.map((round) => round.rate)).toFixed(0)
  const p50 = (rounds: Round[]) => median(rounds.map((round) => round.p50)).toFixed(2)
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  const held = bar === null || median(ratios) >= bar
  const judged = bar === null ? '' : `${bar} ${held ? 'held' : 'MISSED'}`
  console.log(
    `| ${name} | ${rate(plain)} | ${rate(citus)} | ${median(ratios).toFixed(2)} [${range}] | ${p50(plain)} | ${p50(citus)} | ${judged} |`,
  )
  return held
}

/** Prepares a part of the work, then does that on all connections and measures it, until so much time has gone into it. */
async function runRound(work: Work, side: Side, first: number): Promise<Round> {
  const { connections = CONNECTIONS } = work
  const spent: number[] = []
  let total = 0
  for (let next = first; total < ROUND_MS && next < first + NUMBERS_OF_A_ROUND; next += PART) {
    const runs: (() => Promise<unknown>)[] = []
    await eachOf(connections, PART, async (nth) => {
      runs.push(await work.prepare(side, next + nth))
    })
    const began = performance.now()
    await eachOf(connections, PART, async (nth) => {
      const from = performance.now()
      await runs[nth]?.()
      spent.push(performance.now() - from)
    })
    total += performance.now() - began
  }
  return { rate: (1000 * spent.length) / total, p50: median(spent) }
}

/** Runs `work` for each number below `count`, so many at once. */
async function eachOf(atOnce: number, count: number, work: (nth: number) => Promise<void>): Promise<void> {
  let next = 0
  const keepWorking = async () => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepWorking))
}
