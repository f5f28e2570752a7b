import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processorMs } from './processes/processor-time.ts'
import { type Contender, compare, median } from './ratio.ts'
import { recordReads } from './reads/conversations.ts'
import { hammer, pace } from './reads/hammer.ts'
import { FOLLOWERS_READS, makeRoom, READS, type Room, startOurs } from './reads/room.ts'
import { PEOPLE } from './reads/world.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { get } from './sign-in/http-line.ts'

const ROUNDS = 5
const CONNECTIONS = 16
/** Of a steady rate: more than are ever busy. */
const STEADY_CONNECTIONS = 128
const STEADY_SECONDS = 4
/** Of a round. */
const SECONDS = 0.8
/** As `--cpu-prof`. */
const OUR_FLAGS = process.env.READS_FLAGS?.split(' ') ?? []
const SIZE = 100_000
const ALL_READS: typeof READS = { ...READS, ...FOLLOWERS_READS }
const SIZES = [1000, 10_000, 100_000, 1_000_000]

/**
 * Reads beside two others in turn: Fastify alone answering the same bytes, and `pg` alone saying the same statements. Then how a
 * read grows with the number of positions (`READS_SIZES=on`), each size on a server of its own. `READS_BESIDE` names the `main.ts` of
 * another copy of the product, which takes its rounds in turn with ours on the same database, whose schema is ours.
 */
export async function benchReads(): Promise<void> {
  if (process.env.READS_SIZES === 'on') return benchSizes()
  const room = await makeRoom(SIZE)
  const started: ServerProcess[] = []
  try {
    const ours = await startOurs(room.url, { flags: OUR_FLAGS })
    started.push(ours)
    const main = process.env.READS_BESIDE
    const beside = main ? await startOurs(room.url, { main }) : null
    if (beside) started.push(beside)
    console.log(`memory at the start: ${memoryOf(ours.pid)}`)
    const texts = await answersOf(room, ours.port)
    const constants = join(room.folder, 'constants.json')
    writeFileSync(constants, JSON.stringify(Object.fromEntries(texts)))
    const statements = join(room.folder, 'statements.json')
    writeFileSync(statements, JSON.stringify(await recordReads(room.database.pool)))
    const script = (name: string) => [join(import.meta.dirname, 'reads', name)]
    const constant = await startServer(script('constant-server.ts'), 'ready', { CONSTANTS: constants })
    started.push(constant)
    const bare = await startServer(script('bare-server.ts'), 'ready', {
      STATEMENTS: statements,
      DATABASE_URL: room.url,
    })
    started.push(bare)
    const wanted = process.env.READS_ONLY?.split(',') ?? Object.keys(ALL_READS)
    for (const name of wanted) await measure(room, name, { ours, beside, constant, bare })
    console.log(`\nmemory after the reads: ${memoryOf(ours.pid)}`)
  } finally {
    await Promise.all(started.map((server) => server.stop()))
    await room.stop()
  }
}

type Servers = {
  ours: ServerProcess
  beside: ServerProcess | null
  constant: ServerProcess
  bare: ServerProcess
}

async function measure(room: Room, name: string, { ours, beside, constant, bare }: Servers): Promise<void> {
  const requests = requestsOf(room, name)
  const tagged = await taggedRequests(room, name, ours.port)
  const constantly = [Buffer.from(get(`/${name}`, []))]
  const constantlyTagged = [Buffer.from(get(`/${name}`, ['If-None-Match: "known"']))]
  const rates: number[] = []
  const ask = (server: ServerProcess, sent: Buffer[], status: number, spent: number[]) => async () => {
    const before = processorMs(server.pid)
    const rate = await hammer(server.port, sent, { status, seconds: SECONDS, connections: CONNECTIONS })
    if (sent === requests) rates.push(rate)
    spent.push((1000 * (processorMs(server.pid) - before)) / (rate * SECONDS))
    return rate
  }
  const spent = { ours: [], known: [], constant: [], nothing: [] } as Record<
    'ours' | 'known' | 'constant' | 'nothing',
    number[]
  >
  const statements = async () => {
    const path = `http://127.0.0.1:${bare.port}/${name}?seconds=${SECONDS}`
    return Number(await (await fetch(path)).text())
  }
  const contenders = {
    ours: { name: 'Tradepost', run: ask(ours, requests, 200, spent.ours) },
    known: { name: 'Tradepost, 304', run: ask(ours, tagged, 304, spent.known) },
    constant: { name: 'Fastify, the same bytes', run: ask(constant, constantly, 200, spent.constant) },
    nothing: { name: 'Fastify, 304', run: ask(constant, constantlyTagged, 304, spent.nothing) },
    bare: { name: 'pg alone, the same statements', run: statements },
  }
  for (const contender of Object.values(contenders)) await contender.run()
  const [other, otherKnown] = await besideOf(room, name, beside)
  await compare(name, 'answers/s', contenders.ours, [...other, contenders.constant, contenders.bare], ROUNDS)
  await compare(
    `${name}, known`,
    'answers/s',
    contenders.known,
    [...otherKnown, contenders.nothing, contenders.constant],
    ROUNDS,
  )
  const rate = 0.7 * median(rates)
  const late = async (server: ServerProcess, sent: Buffer[]) =>
    slowest(
      await pace(server.port, sent, {
        status: 200,
        seconds: STEADY_SECONDS,
        connections: STEADY_CONNECTIONS,
        rate,
      }),
    )
  const [own, loader] = [await late(ours, requests), await late(constant, constantly)]
  console.log(
    `  at 70 % of that, ${rate.toFixed(0)} a second: p99 ${own.toFixed(1)} ms, of the constant at the same rate ${loader.toFixed(1)} ms`,
  )
  const micros = Object.entries(spent).map(([what, each]) => `${what} ${median(each.slice(1)).toFixed(0)}`)
  console.log(`  processor time of an answer in the server, µs: ${micros.join(', ')}`)
}

/** The same read of the copy beside, and its 304; none without one. */
async function besideOf(
  room: Room,
  name: string,
  beside: ServerProcess | null,
): Promise<[Contender[], Contender[]]> {
  if (!beside) return [[], []]
  const asks = (sent: Buffer[], status: number) => () =>
    hammer(beside.port, sent, { status, seconds: SECONDS, connections: CONNECTIONS })
  const whole = { name: 'the copy beside', run: asks(requestsOf(room, name), 200) }
  const known = {
    name: 'the copy beside, 304',
    run: asks(await taggedRequests(room, name, beside.port), 304),
  }
  for (const contender of [whole, known]) await contender.run()
  return [[whole], [known]]
}

/** The slowest hundredth begins here. */
function slowest(milliseconds: number[]): number {
  return (
    milliseconds.toSorted((one, other) => one - other)[Math.floor(milliseconds.length * 0.99)] ?? Number.NaN
  )
}

/** How long one asks alone for each read, by the number of positions; and the exponent of its growth. */
async function benchSizes(): Promise<void> {
  const rates = new Map<string, number[]>()
  for (const size of SIZES) {
    const room = await makeRoom(size)
    const ours = await startOurs(room.url, { flags: OUR_FLAGS })
    try {
      console.log(`\n${size} positions`)
      for (const name of Object.keys(ALL_READS)) {
        const requests = requestsOf(room, name).slice(0, Math.min(PEOPLE, size / 100))
        const run = () =>
          hammer(ours.port, requests, { status: 200, seconds: SECONDS, connections: CONNECTIONS })
        const rounds = []
        for (let round = 0; round <= ROUNDS; round += 1) rounds.push(await run())
        const rate =
          rounds.slice(1).toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? Number.NaN
        rates.set(name, [...(rates.get(name) ?? []), rate])
        console.log(`  ${name}: ${rate.toFixed(0)} answers/s`)
      }
    } finally {
      await ours.stop()
      await room.stop()
    }
  }
  console.log('\nexponent of the cost of a read over the number of positions (slope of the logarithms)')
  for (const [name, measured] of rates) console.log(`  ${name}: ${slope(measured).toFixed(3)}`)
}

function slope(rates: number[]): number {
  const points = rates.map((rate, at) => ({ x: Math.log(SIZES[at] ?? 1), y: Math.log(1 / rate) }))
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
}

function requestsOf(room: Room, name: string, tags: string[] = []): Buffer[] {
  return tokensOf(room, name).map((token, nth) => {
    const path = ALL_READS[name]?.(nth) ?? ''
    const known = tags[nth] ? [`If-None-Match: ${tags[nth]}`] : []
    return Buffer.from(get(path, [`Authorization: Bearer ${token}`, ...known]))
  })
}

/** Tokens of the people who ask for this read. */
function tokensOf(room: Room, name: string): string[] {
  return name in FOLLOWERS_READS ? room.followersTokens : room.tokens
}

async function taggedRequests(room: Room, name: string, port: number): Promise<Buffer[]> {
  const tags = []
  for (const [nth, token] of tokensOf(room, name).entries()) {
    const { headers } = await read(port, ALL_READS[name]?.(nth) ?? '', token)
    tags.push(headers.get('etag') ?? '')
  }
  return requestsOf(room, name, tags)
}

async function answersOf(room: Room, port: number): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const [name, path] of Object.entries(ALL_READS)) {
    const text = await (await read(port, path(0), tokensOf(room, name)[0] ?? '')).text()
    console.log(`${name}: ${Buffer.byteLength(text)} bytes`)
    texts.set(`/${name}`, text)
  }
  return texts
}

async function read(port: number, path: string, token: string): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${await answer.text()}`)
  return answer
}

/** Resident now and at its highest, as Linux counts them. */
function memoryOf(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string) =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024)
  return `${megabytes('VmRSS')} MB, ${megabytes('VmHWM')} MB at its highest`
}
