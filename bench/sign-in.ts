import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { connectDatabase, type Database } from '../server/src/platform/database/database.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/upgrade/migrate.ts'
import { type Contender, compare } from './ratio.ts'
import { type Contestant, startBare, startOurs } from './sign-in/contestants.ts'
import { type Answer, askAll } from './sign-in/http-line.ts'

/** Short rounds in turn: other work of the machine in a second falls on both alike. */
const ROUNDS = 9
const UNCOUNTED_ROUNDS = 3
const PEOPLE = 150
const CHECKS = 1500
const CONNECTIONS = 16

/**
 * Sign-in by mailed code and session check: ours and the bare ceiling, each a separate process on one PostgreSQL. docs/measurements.md
 * lists what is counted and what is not.
 */
export async function benchSignIn(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
  const started: Contestant[] = []
  try {
    await migrate(postgres.url, log)
    const database = { ...connectDatabase({ url: postgres.url, size: 4, log }), url: postgres.url }
    const bare = await startBare(database)
    started.push(bare)
    const ours = await startOurs(database)
    started.push(ours)
    await measure(database, ours, bare)
    await database.close()
  } finally {
    await Promise.all(started.map((contestant) => contestant.stop()))
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(database: Database, ours: Contestant, bare: Contestant): Promise<void> {
  const proofs = new Map<Contestant, string[]>()
  const signIn = (contestant: Contestant): Contender => ({
    name: contestant.name,
    async run() {
      const signedIn = await signEverybodyIn(contestant)
      proofs.set(contestant, signedIn.proofs)
      return PEOPLE / signedIn.seconds
    },
  })
  const check = (contestant: Contestant): Contender => ({
    name: contestant.name,
    run: () => checkSessions(contestant, proofs.get(contestant) ?? []),
  })
  const all = [ours, bare]
  // People are made, code is compiled, connections are opened.
  await uncounted(all.map(signIn))
  await database.pool.query(
    'insert into accounts (user_id, created_at) select id, created_at from users on conflict do nothing',
  )
  await database.pool.query('analyze')
  const signIns = `sign-in of ${PEOPLE} people who have been here before: code asked for, code used`
  await compare(signIns, 'sign-ins/s', signIn(ours), [signIn(bare)], ROUNDS)
  await uncounted(all.map(check))
  const checks = `${CHECKS} session checks of ${PEOPLE} people`
  await compare(checks, 'checks/s', check(ours), [check(bare)], ROUNDS)
}

async function uncounted(contenders: Contender[]): Promise<void> {
  for (let round = 0; round < UNCOUNTED_ROUNDS; round += 1) {
    for (const contender of contenders) await contender.run()
  }
}

/** @returns the time of asking for codes and of using them, in seconds; how a code gets to its owner is not timed */
async function signEverybodyIn(contestant: Contestant): Promise<{ seconds: number; proofs: string[] }> {
  const email = (index: number) => `person${index}@${contestant.port}.example`
  const asking = await askAll(
    contestant.port,
    PEOPLE,
    {
      request: (index) => contestant.askForCode(email(index)),
      answer: fine,
    },
    CONNECTIONS,
  )
  const codes = await contestant.readCodes()
  const proofs: string[] = []
  const using = await askAll(
    contestant.port,
    PEOPLE,
    {
      request: (index) => contestant.useCode(email(index), codes.get(email(index)) ?? ''),
      answer(answer, index) {
        fine(answer)
        proofs[index] = contestant.readProof(answer)
      },
    },
    CONNECTIONS,
  )
  return { seconds: asking + using, proofs }
}

async function checkSessions(contestant: Contestant, proofs: string[]): Promise<number> {
  const requests = proofs.map((proof) => contestant.checkSession(proof))
  const seconds = await askAll(
    contestant.port,
    CHECKS,
    {
      request: (index) => requests[index % requests.length] ?? '',
      answer(answer) {
        fine(answer)
      },
    },
    CONNECTIONS,
  )
  return CHECKS / seconds
}

function fine({ status, body }: Answer): void {
  if (status !== 200) throw new Error(`answered ${status}: ${body}`)
}
