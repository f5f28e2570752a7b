import { fromBase64 } from '@tradepost/record/bytes'
import { readCheckpoint } from '@tradepost/record/checkpoint'
import { commitTo } from '@tradepost/record/leaf'
import { readNote, readVerifierKey, signersOf } from '@tradepost/record/note'
import { treeOf } from '@tradepost/record/test-tree'
import { readBundle } from '@tradepost/record/tiles'
import { isContinuation, leafHash, rootOfInclusion } from '@tradepost/record/tree'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { checkLog, makeTestRecord, registerRecord } from '../../test/record.ts'
import { sha256, verifyEd25519 } from './hashes.ts'
import { saltOf } from './salts.ts'

const SIZE = 260
const testApp = await buildTestApp({ settings: { limitsOn: false } })
const { app, clock, db, pool } = testApp
const record = makeTestRecord(testApp)
let tree: ReturnType<typeof treeOf>
let leaves: Uint8Array[]

beforeAll(async () => {
  await registerRecord(testApp)
  for (const url of [
    'checkpoint',
    'keys',
    'proof?index=0&size=1',
    'consistency?from=0&to=0',
    'tile/0/000.p/1',
  ])
    expect((await app.inject(`/record/${url}`)).json(), url).toMatchObject({ code: 'not_found' })
  const traders = await Promise.all(
    ['maria', 'tom', 'jose', 'anna'].map((name) => makeCrowdTrader(pool, name, TEST_NOW)),
  )
  await Promise.all(
    traders.map(async (trader) => {
      for (let nth = 0; nth < SIZE / 4; nth += 1) {
        await publish(db, trader, { symbol: `AA${nth}` }, clock.now())
        if (nth % 20 === 0) await record.ensure()
      }
    }),
  )
  await record.ensure()
  await checkLog(testApp)
  const { rows } = await pool.query<{ leaf: Buffer }>('select leaf from record_entries order by log_index')
  leaves = rows.map(({ leaf }) => new Uint8Array(leaf))
  tree = treeOf(sha256, leaves)
})
afterAll(() => testApp.close())

const get = (path: string) => app.inject(`/record/${path}`)
const A_MINUTE = 'public, max-age=60'
const FOREVER = 'public, max-age=31536000, immutable'
const hashesOf = (level: number, from: number, width: number) => {
  const span = 256 ** level
  return Buffer.concat(
    Array.from({ length: width }, (_, at) => tree.range([(from + at) * span, (from + at + 1) * span])),
  )
}
const hashes = (encoded: string[]) => encoded.map((hash) => fromBase64(hash) ?? new Uint8Array())

test('tiles and bundles have what the tree has, full ones and the parts that there are', async () => {
  for (const [path, expected] of [
    ['tile/0/000', hashesOf(0, 0, 256)],
    ['tile/0/000.p/1', hashesOf(0, 0, 1)],
    ['tile/0/000.p/255', hashesOf(0, 0, 255)],
    ['tile/0/001.p/4', hashesOf(0, 256, 4)],
    ['tile/0/001.p/3', hashesOf(0, 256, 3)],
    ['tile/1/000.p/1', hashesOf(1, 0, 1)],
  ] as const) {
    const answer = await get(path)
    expect({ path, status: answer.statusCode, ...answer.headers }).toMatchObject({
      status: 200,
      'cache-control': A_MINUTE,
      'content-type': 'application/octet-stream',
    })
    expect(answer.rawPayload.equals(expected), path).toBe(true)
  }
  for (const [path, from, width] of [
    ['tile/entries/000', 0, 256],
    ['tile/entries/001.p/4', 256, 4],
  ] as const) {
    const answer = await get(path)
    expect(readBundle(new Uint8Array(answer.rawPayload), width)).toEqual(leaves.slice(from, from + width))
  }
})

test('a tile beyond the tree, and a path that names none, are not found', async () => {
  for (const path of [
    ...['0/001', '0/001.p/5', '0/002.p/1', '1/000', '1/000.p/2', '1/001.p/1', '2/000.p/1', '63/000.p/1'],
    ...['entries/001', 'entries/001.p/5', '0/x001/000', '64/000', '00/000', '0/0', '0/0000', '0/x000/000'],
    ...['0/000.p/0', '0/000.p/256', '0/000.p/01', '0/000.p/', '0/000/', 'data/000', '-1/000', '0/%2e%2e', ''],
  ]) {
    const answer = await get(`tile/${path}`)
    expect({ path, status: answer.statusCode }).toEqual({ path, status: 404 })
    expect(answer.json()).toEqual({
      code: 'not_found',
      message: expect.any(String),
      requestId: expect.any(String),
    })
    expect(answer.headers['cache-control']).toBe('no-store')
  }
})

test('the checkpoint is signed by the published keys, under both types', async () => {
  const [answer, published] = [await get('checkpoint'), await get('keys')]
  expect(answer.headers).toMatchObject({
    'cache-control': 'public, max-age=2',
    'content-type': 'text/plain; charset=utf-8',
  })
  expect(published.headers['cache-control']).toBe('public, max-age=60')
  const { log, origin, ...rest } = published.json()
  expect(rest).toEqual({ witnesses: [], quorum: 0 })
  const note = readNote(answer.body)
  if (!note) throw new Error('the checkpoint is no note')
  expect(readCheckpoint(note.text)).toEqual({ origin, size: SIZE, root: tree.root(SIZE) })
  const keys = log.flatMap((vkey: string) => readVerifierKey(sha256, vkey) ?? [])
  expect((await signersOf(note, keys, verifyEd25519))?.map(({ key }) => key.type)).toEqual([1, 4])
})

test('proofs of places and of growth are accepted, for many pairs', async () => {
  const sizes = [1, 2, 3, 7, 64, 128, 255, 256, 257, 259, 260]
  for (const size of sizes) {
    for (const index of new Set([0, 1, size >> 1, size - 2, size - 1].filter((at) => at >= 0 && at < size))) {
      const answer = await get(`proof?index=${index}&size=${size}`)
      expect(answer.headers['cache-control']).toBe(A_MINUTE)
      const { path, ...place } = answer.json()
      expect(place).toEqual({ index, size })
      const leaf = leafHash(sha256, leaves[index] ?? new Uint8Array())
      expect(rootOfInclusion(sha256, { leaf, index, size, path: hashes(path) })).toEqual(tree.root(size))
    }
    for (const to of sizes.filter((other) => other >= size)) {
      const { proof, ...pair } = (await get(`consistency?from=${size}&to=${to}`)).json()
      expect(pair).toEqual({ from: size, to })
      const [first, second] = [
        { size, root: tree.root(size) },
        { size: to, root: tree.root(to) },
      ]
      expect(isContinuation(sha256, first, second, hashes(proof))).toBe(true)
    }
  }
})

test('every tree goes on from the empty one, by a proof without hashes', async () => {
  for (const to of [0, 1, SIZE])
    expect((await get(`consistency?from=0&to=${to}`)).json()).toEqual({ from: 0, to, proof: [] })
})

test('a question that means nothing is refused in words, and a place beyond the tree is not found', async () => {
  for (const path of [
    ...['proof', 'proof?index=0', 'proof?index=-1&size=2', 'proof?index=1.0&size=2', 'proof?index=01&size=2'],
    ...['proof?index=0&index=1&size=2', 'proof?index=0x1&size=2', 'proof?index=0&size=9999999999999999'],
    ...['consistency', 'consistency?from=&to=2', 'consistency?from=1&to=two', 'openings/x', 'openings/-1'],
    ...['openings/1e3', 'openings/%201', 'openings/1.5'],
  ]) {
    const answer = await get(path)
    expect({ path, status: answer.statusCode, ...answer.json() }).toEqual({
      path,
      status: 400,
      code: 'bad_request',
      message: expect.any(String),
      requestId: expect.any(String),
    })
  }
  for (const path of [
    ...['proof?index=260&size=260', 'proof?index=0&size=261', 'proof?index=0&size=0'],
    ...['consistency?from=2&to=1', 'consistency?from=1&to=261', 'openings/260', 'openings/999999999999999'],
    ...['traders/nobody', 'traders/%00', `traders/${'x'.repeat(100)}`, 'traders/', 'entries'],
  ])
    expect({ path, ...(await get(path)).json() }).toMatchObject({ path, code: 'not_found' })
})

test('other methods are refused as elsewhere, and HEAD answers without a body', async () => {
  for (const path of ['checkpoint', 'keys', 'gaps', 'tile/0/000', 'openings/0', 'traders/maria', 'proof']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const) {
      const answer = await app.inject({ method, url: `/record/${path}` })
      expect({ path, method, status: answer.statusCode, allow: answer.headers.allow }).toEqual({
        path,
        method,
        status: 405,
        allow: 'GET, HEAD',
      })
      expect(answer.json()).toMatchObject({ code: 'method_not_allowed' })
    }
  }
  const head = await app.inject({ method: 'HEAD', url: '/record/tile/0/000' })
  expect({ status: head.statusCode, body: head.body, length: head.headers['content-length'] }).toEqual({
    status: 200,
    body: '',
    length: '8192',
  })
})

test('a trader is found in any spelling, with the counts that the product shows', async () => {
  const expected = (await get('traders/maria')).json()
  expect(expected).toEqual({
    record: expect.stringMatching(/^[0-9a-f]{32}$/),
    seq: 65,
    open: 65,
    closed: 0,
    leaves: expect.any(Array),
  })
  expect(expected.leaves).toHaveLength(65)
  expect((await get('traders/MaRiA')).json()).toEqual(expected)
  for (const index of expected.leaves.slice(0, 3))
    expect(Buffer.from(leaves[index] ?? []).toString('hex')).toContain(expected.record)
})

test('a sealed entry is opened by none of all the tickers, prices and notes that could be tried without its salt', async () => {
  const { rows } = await pool.query<{ leaf: Buffer; text: string }>(
    'select leaf, text from record_entries join record_texts using (log_index) where log_index = 0',
  )
  const [sealed] = rows
  if (!sealed) throw new Error('there is no entry')
  const commitment = sealed.leaf.subarray(72, 104)
  const parts = JSON.parse(sealed.text)
  const opens = (salt: Uint8Array, text: string) => commitment.equals(commitTo(sha256, salt, text))
  const record = new Uint8Array(sealed.leaf.subarray(4, 20))
  const guesses = [new Uint8Array(32), new Uint8Array(sealed.leaf.subarray(40, 72)), new Uint8Array(0)]
  const salts = [...guesses, new Uint8Array([...record, ...record])]
  const key = await pool.query('select salt_key from records where record_id = $1', [Buffer.from(record)])
  expect(opens(saltOf(key.rows[0].salt_key, 1), sealed.text), 'with its salt').toBe(true)
  let hits = 0
  for (let nth = 0; nth < 50; nth += 1)
    // A day's prices in cents, the true one among them, with all else known.
    for (let cents = 18_252; cents < 19_252; cents += 1) {
      const text = JSON.stringify(['opened', `AA${nth}`, String(cents / 100), ...parts.slice(3)])
      for (const salt of salts) if (opens(salt, text)) hits += 1
    }
  expect(hits).toBe(0)
})

test('what was signed thirty days ago is kept by caches for good, and what a restored backup may still lose for a minute', async () => {
  const cachingOf = async (path: string) => (await get(path)).headers['cache-control']
  clock.advance(30 * 86_400_000 - 1)
  expect(await cachingOf('tile/0/000.p/1')).toBe(A_MINUTE)
  clock.advance(1)
  const paths = ['tile/0/000.p/1', 'tile/entries/000', 'tile/1/000.p/1', 'proof?index=0&size=256']
  for (const path of [...paths, 'consistency?from=1&to=256', 'consistency?from=0&to=0'])
    expect({ path, caching: await cachingOf(path) }).toEqual({ path, caching: FOREVER })
  await publish(db, await makeCrowdTrader(pool, 'kofi', clock.now()), { symbol: 'NEWEST' }, clock.now())
  await record.ensure()
  for (const path of ['tile/0/001.p/5', 'tile/entries/001.p/5', 'proof?index=0&size=261'])
    expect({ path, caching: await cachingOf(path) }).toEqual({ path, caching: A_MINUTE })
  expect(await cachingOf('tile/0/001.p/4')).toBe(FOREVER)
})
