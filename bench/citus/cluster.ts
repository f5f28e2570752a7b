import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../server/src/dev/free-port.ts'
import { applyLayout } from '../../server/src/platform/distribution/distributed-tables.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import { silentLog } from '../../server/test/database/database.ts'
import { runOn } from '../../server/test/database/standby.ts'
import {
  initialiseSystemPostgres,
  type SystemPostgres,
  startSystemPostgres,
} from '../../server/test/database/system-postgres.ts'

const SETTINGS = [
  'full_page_writes=off',
  'max_connections=300',
  'max_prepared_transactions=300',
  'timezone=UTC',
]
const OF_CITUS = [
  'shared_preload_libraries=citus',
  'citus.shard_count=8',
  'citus.local_hostname=127.0.0.1',
  // All of it is on loopback, and a proxy between two nodes reads what they send.
  'citus.node_conninfo=sslmode=disable',
]
const RESTART_WITHIN_MS = 30_000

/** A server of the cluster; its processes can be killed and started again on its port. */
export type Node = {
  port: number
  url: string
  /** SIGKILL to its first process. */
  kill(): Promise<void>
  stop(): Promise<void>
  /** After `kill` or `stop`. */
  start(): Promise<void>
}

export type Servers = AsyncDisposable & {
  /** @param settings beside the usual ones, as `max_connections=300` */
  start(name: string, settings?: string[]): Promise<Node>
}

/**
 * Servers of the Citus build, each in a folder of one that is deleted in the end. They do not wait for the disk.
 * @param settingsOfAll of every server, beside the usual ones
 */
export function openServers(bin: string, settingsOfAll: readonly string[] = []): Servers {
  const home = mkdtempSync(join(tmpdir(), 'tradepost-citus-'))
  const nodes: Node[] = []
  return {
    async start(name, settings = []) {
      const node = await startNode(bin, join(home, name), [...SETTINGS, ...settingsOfAll, ...settings])
      nodes.push(node)
      return node
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.stop()))
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A server on which Citus can distribute tables; its nodes sign in to one another by the file of passwords. */
export function startCitus(servers: Servers, name: string, settings: string[] = []): Promise<Node> {
  return servers.start(name, [...OF_CITUS, ...settings])
}

async function startNode(bin: string, folder: string, settings: string[]): Promise<Node> {
  initialiseSystemPostgres(bin, folder)
  const port = await freePort()
  // Read by the server when it connects to another, so it has to be in its environment.
  process.env.PGPASSFILE = `${folder}.pgpass`
  let running: SystemPostgres | null = await startSystemPostgres(bin, folder, { port, settings })
  const { password } = new URL(running.url)
  writeFileSync(`${folder}.pgpass`, `*:*:*:*:${decodeURIComponent(password)}\n`, { mode: 0o600 })
  const end = async (how: 'kill' | 'stop') => {
    const ended = running
    running = null
    await ended?.[how]()
  }
  return {
    port,
    url: running.url,
    kill: () => end('kill'),
    stop: () => end('stop'),
    async start() {
      running = await startAgain(() => startSystemPostgres(bin, folder, { port, settings }))
    },
  }
}

/** Processes of a killed server live on for a moment, and hold what the next one needs. */
async function startAgain(start: () => Promise<SystemPostgres>): Promise<SystemPostgres> {
  const end = performance.now() + RESTART_WITHIN_MS
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(200)
    }
  }
}

export type Cluster = { coordinator: Node; workers: Node[] }

/**
 * A coordinator and two nodes that hold the rows, with the product's tables where they belong.
 * @param through the port that the coordinator connects to in place of a node; the node itself unless given
 */
export async function startCluster(
  servers: Servers,
  through: (node: Node) => Promise<number> = async ({ port }) => port,
): Promise<Cluster> {
  const coordinator = await startCitus(servers, 'coordinator')
  const workers = [await startCitus(servers, 'first'), await startCitus(servers, 'second')]
  for (const node of [...workers, coordinator]) await runOn(node.url, 'create extension citus')
  await runOn(coordinator.url, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`)
  for (const worker of workers)
    await runOn(coordinator.url, `select citus_add_node('127.0.0.1', ${await through(worker)})`)
  await migrate(coordinator.url, silentLog)
  await applyLayout(coordinator.url)
  return { coordinator, workers }
}
