import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { concat, toBase64 } from '../src/bytes.ts'
import { writeVerifierKey } from '../src/note.ts'
import type { RecordSource } from '../src/record-source.ts'
import { ORIGIN, POLICY, type World } from '../src/test-world.ts'
import { readTilePath } from '../src/tiles.ts'

/** The public endpoints of a record over real HTTP, for tests. `world` may be another one from some call on. */
export type RecordServer = {
  site: string
  serve(world: World, source?: RecordSource): void
  close(): Promise<void>
}

type Answer = { status: number; body: string | Uint8Array }

const json = (value: unknown, status = 200): Answer => ({ status, body: JSON.stringify(value) })
const none = (code: string, statusCode = 404) =>
  json({ statusCode, code, error: 'Not Found', message: 'Not there.' }, statusCode)

export async function recordServer(world: World): Promise<RecordServer> {
  let served = { world, source: world.source }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname.startsWith('/record/') ? pathname.slice('/record/'.length) : ''
    answer(served, path, searchParams).then(({ status, body }) => response.writeHead(status).end(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    site: siteOf(server),
    serve(other, source = other.source) {
      served = { world: other, source }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const siteOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function answer(
  { world, source }: { world: World; source: RecordSource },
  path: string,
  query: URLSearchParams,
): Promise<Answer> {
  const asked = (name: string) => Number(query.get(name))
  if (path === 'checkpoint') return { status: 200, body: await source.checkpoint() }
  if (path === 'keys') return json(keys())
  if (path === 'proof') {
    const hashes = await source.inclusion(asked('index'), asked('size'))
    return hashes ? json({ path: hashes.map(toBase64) }) : none('not_found')
  }
  if (path === 'consistency') {
    const hashes = await source.consistency(asked('from'), asked('to'))
    return hashes ? json({ proof: hashes.map(toBase64) }) : none('not_found')
  }
  const [folder, name = ''] = path.split('/')
  if (folder === 'openings') {
    const shown = await source.opening(Number(name))
    if (typeof shown === 'string') return none(`record_${shown}`, shown === 'erased' ? 410 : 404)
    return json({ salt: toBase64(shown.salt), text: shown.text })
  }
  if (folder === 'traders') {
    const shown = await source.trader(decodeURIComponent(name))
    return shown ? json(shown) : none('not_found')
  }
  const tile = readTilePath(path)
  if (!tile) return none('not_found')
  const { level, index, width } = tile
  if (level === 'entries') return { status: 200, body: await source.bundle(index, width) }
  const hashes = Array.from({ length: width }, (_, at) => world.tree.subtree(8 * level, index * 256 + at))
  return { status: 200, body: concat(...hashes) }
}

/** The body of `/record/keys`. */
export function keys(quorum = 0) {
  const { logKeys, witnesses } = POLICY
  return {
    origin: ORIGIN,
    log: logKeys.map(writeVerifierKey),
    witnesses: witnesses.map(writeVerifierKey),
    quorum,
  }
}
