import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { toBase64, toHex, utf8 } from '../src/bytes.ts'
import { readNote, readVerifierKey, signersOf } from '../src/note.ts'
import { type Act, longHistory } from '../src/test-acts.ts'
import { ORIGIN, POLICY, worldOf, worldOfEntries } from '../src/test-world.ts'
import { sha256, verifyEd25519 } from './node-crypto.ts'
import { newFolder, run, start, stop } from './test-process.ts'
import { recordServer } from './test-server.ts'

const acts = longHistory(1100)
const world = worldOf(acts)
const SIZE = acts.length
const server = await recordServer(world)
let folder = newFolder()
beforeEach(() => {
  folder.remove()
  folder = newFolder()
  server.serve(world)
})
afterAll(async () => {
  folder.remove()
  await server.close()
})

const at = (name: string) => join(folder.path, name)
const copy = (...more: string[]) =>
  run('mirror', ['--from', server.site, '--data', folder.path, '--once', ...more])
const bytesOf = async (path: string) =>
  new Uint8Array(await (await fetch(`${server.site}/record/${path}`)).arrayBuffer())
const textsOf = () =>
  readFileSync(at('texts.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { index: number; salt: string; text: string } => JSON.parse(line))

test('every tile, every entry and every revealed text is copied, and nothing sealed', async () => {
  expect(await copy()).toMatchObject({
    code: 0,
    words: expect.stringMatching(new RegExp(`^${SIZE} leaves in `)),
  })
  const rest = SIZE % 256
  const full = Math.floor(SIZE / 256)
  const paths = [0, 1, full - 1].flatMap((nth) => [`tile/entries/00${nth}`, `tile/0/00${nth}`])
  for (const path of [
    ...paths,
    `tile/entries/00${full}.p/${rest}`,
    `tile/0/00${full}.p/${rest}`,
    `tile/1/000.p/${full}`,
  ])
    expect(new Uint8Array(readFileSync(at(path)))).toEqual(await bytesOf(path))
  const shown = world.openings.flatMap((opening, index) =>
    typeof opening === 'object' && acts[index]?.trader ? [{ index, ...opening }] : [],
  )
  const copied = textsOf().sort((a, b) => a.index - b.index)
  expect(copied).toEqual(shown.map(({ index, salt, text }) => ({ index, salt: toBase64(salt), text })))
  expect(copied.length).toBeGreaterThan(700)
  expect(world.openings).toContain('sealed')
})

test('the copy is signed by the mirror’s key, and served', async () => {
  const keyFile = at('key')
  const made = await run('witness', ['new-key', 'mirror.example/m1', keyFile])
  const key = readVerifierKey(sha256, made.words.trim())
  expect((await copy('--key', keyFile)).code).toBe(0)
  const serving = await start('mirror', [
    ...['--from', server.site, '--data', folder.path, '--key', keyFile, '--port', '0', '--every', '3600'],
  ])
  const prefix = serving.address
  expect(prefix.endsWith(`/${toHex(sha256(utf8(ORIGIN)))}/`)).toBe(true)
  const note = readNote(await (await fetch(`${prefix}checkpoint`)).text())
  if (!note || !key) throw new Error('No note')
  const signers = await signersOf(note, [...POLICY.logKeys, key], verifyEd25519)
  expect(signers?.map((signer) => signer.key.name)).toEqual([ORIGIN, 'mirror.example/m1'])
  const tile = await fetch(`${prefix}tile/0/001`)
  expect(new Uint8Array(await tile.arrayBuffer())).toEqual(await bytesOf('tile/0/001'))
  expect((await fetch(`${prefix}key`)).status).toBe(404)
  expect((await fetch(`${prefix}tile/../key`)).status).toBe(404)
  await stop(serving.process)
})

test('a copy goes on where the last one ended, and keeps parts of tiles no longer than they are needed', async () => {
  server.serve(worldOf(acts.slice(0, 300)))
  expect((await copy()).code).toBe(0)
  expect(existsSync(at('tile/entries/001.p/44'))).toBe(true)
  const asked: number[] = []
  server.serve(world, {
    ...world.source,
    bundle: (index, width) => {
      asked.push(index)
      return world.source.bundle(index, width)
    },
  })
  expect((await copy()).code).toBe(0)
  expect(asked).toEqual([1, 2, 3, 4])
  expect(existsSync(at('tile/entries/001.p'))).toBe(false)
})

test('a copy that was killed is finished by the next one', async () => {
  let answered = 0
  const killed = new Promise<void>((resolve) => {
    server.serve(world, {
      ...world.source,
      bundle: (index, width) => {
        if (++answered < 4) return world.source.bundle(index, width)
        resolve()
        return new Promise(() => undefined)
      },
    })
  })
  const running = await start('mirror', [
    ...['--from', server.site, '--data', folder.path, '--every', '3600', '--port', '0'],
  ])
  await killed
  await stop(running.process, 'SIGKILL')
  expect(existsSync(at('checkpoint'))).toBe(false)
  server.serve(world)
  expect((await copy()).code).toBe(0)
})

test.each(['tile/entries/001', 'tile/0/002'])(
  'a spoiled bit of %s is mended by the next copy',
  async (path) => {
    expect((await copy()).code).toBe(0)
    writeFileSync(at(path), new Uint8Array(readFileSync(at(path))).with(500, 1).with(501, 2))
    expect((await copy()).code).toBe(0)
    expect(new Uint8Array(readFileSync(at(path)))).toEqual(await bytesOf(path))
  },
)

/** The log with another text at some place, signed by its key. */
const rewritten = (index: number) =>
  worldOf(acts.map((act, at) => (at === index ? { ...act, text: act.text.replace(/.\]$/, '!"]') } : act)))

test.each([
  ['in a tile that was full', 40],
  ['behind the last full tile', SIZE - 2],
])('a history that is rewritten %s is refused, and the copy stays', async (_where, index) => {
  expect((await copy()).code).toBe(0)
  const before = readFileSync(at('checkpoint'))
  server.serve(rewritten(index))
  expect(await copy()).toMatchObject({ code: 1, words: expect.stringMatching(/^A4 {2}/m) })
  expect(readFileSync(at('checkpoint'))).toEqual(before)
})

test('an end that is rewritten and goes on does not go on the copy', async () => {
  server.serve(worldOf(acts.slice(0, SIZE - 1)))
  expect((await copy()).code).toBe(0)
  server.serve(rewritten(SIZE - 2))
  expect(await copy()).toMatchObject({ code: 1, words: expect.stringMatching(/^A5 {2}/m) })
  server.serve(worldOf(acts.slice(0, SIZE - 2)))
  expect(await copy()).toMatchObject({ code: 1, words: expect.stringMatching(/^A3 {2}/m) })
  server.serve(world)
  expect((await copy()).code).toBe(0)
})

test('entries, tiles and texts that are not of the signed root are named', async () => {
  const swapped = world.entries
    .with(10, world.entries[11] ?? new Uint8Array())
    .with(11, world.entries[10] ?? new Uint8Array())
  const other = worldOfEntries(swapped, world)
  server.serve(other, { ...other.source, checkpoint: world.source.checkpoint })
  expect(await copy()).toMatchObject({ code: 1, words: expect.stringMatching(/^A6 {2}The copy of/m) })
  server.serve(other, world.source)
  expect(await copy()).toMatchObject({
    code: 1,
    words: expect.stringMatching(/^A6 {2}The tile tile\/0\/000/m),
  })
  server.serve(world, {
    ...world.source,
    opening: async () => ({ salt: new Uint8Array(32), text: '["erased"]' }),
  })
  expect(await copy()).toMatchObject({ code: 1, words: expect.stringMatching(/^A13 {2}/m) })
  expect(textsOf()).toEqual([])
})

test('a person whose record is erased leaves the mirror too', async () => {
  expect((await copy()).code).toBe(0)
  const ofAlice = (index: number) => acts[index]?.trader === 'alice'
  expect(textsOf().some(({ index }) => ofAlice(index))).toBe(true)
  const kept = textsOf().filter(({ index }) => !ofAlice(index)).length
  const erased: Act = { ...(acts.at(-1) as Act), kind: 'erased', hold: 0, text: '["erased"]' }
  server.serve(worldOf([...acts, erased]))
  expect((await copy()).code).toBe(0)
  expect(textsOf().filter(({ index }) => ofAlice(index))).toEqual([])
  expect(textsOf()).toHaveLength(kept)
})

test('a person who is erased during a copy is no finding, and one who vanishes is', async () => {
  const openings = world.openings.map((shown, index) => (acts[index]?.trader === 'alice' ? 'erased' : shown))
  const gone = { ...world.source, opening: async (index: number) => openings[index] ?? ('sealed' as const) }
  server.serve(world, gone)
  expect(await copy()).toMatchObject({ code: 1, words: expect.stringMatching(/^A14 {2}/m) })
  const erased: Act = { ...(acts.at(-1) as Act), kind: 'erased', hold: 0, text: '["erased"]' }
  const later = worldOf([...acts, erased])
  const notes = [later.note(SIZE)]
  server.serve(later, { ...later.source, checkpoint: async () => notes.shift() ?? later.note() })
  expect(await copy()).toMatchObject({ code: 0, words: expect.stringContaining(`${SIZE} leaves`) })
})

test('the keys of the first copy count from then on', async () => {
  expect((await copy()).code).toBe(0)
  writeFileSync(
    at('keys.json'),
    readFileSync(at('keys.json'), 'utf8').replaceAll(ORIGIN, 'other.example/record'),
  )
  expect((await copy()).code).toBe(2)
})
