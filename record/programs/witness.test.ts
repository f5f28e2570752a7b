import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { toHex, utf8 } from '../src/bytes.ts'
import {
  readNote,
  readVerifierKey,
  signersOf,
  verifierKey,
  writeNote,
  writeVerifierKey,
} from '../src/note.ts'
import { longHistory } from '../src/test-acts.ts'
import { keyOf } from '../src/test-hash.ts'
import { ORIGIN, POLICY, worldOf } from '../src/test-world.ts'
import { writeAddCheckpoint } from '../src/witness.ts'
import { sha256, verifyEd25519 } from './node-crypto.ts'
import { newFolder, run, start, stop } from './test-process.ts'

const acts = longHistory(40)
const world = worldOf(acts)
const SIZE = acts.length
const folder = newFolder()
const at = (name: string) => join(folder.path, name)

const made = await run('witness', ['new-key', 'witness.example/w9', at('key')])
const key = readVerifierKey(sha256, made.words.trim())
writeFileSync(at('logs'), `# The record\n${POLICY.logKeys.map(writeVerifierKey).join('\n')}\n`)
let rounds = 0
let data = at('data')
let witness = await start('witness', serving())
function serving(): string[] {
  return ['serve', '--key', at('key'), '--logs', at('logs'), '--data', data, '--port', '0']
}

async function restart(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
  await stop(witness.process, signal)
  witness = await start('witness', serving())
}
beforeEach(async () => {
  data = at(`data ${++rounds}`)
  await restart()
})
afterAll(async () => {
  await stop(witness.process)
  folder.remove()
})

async function post(body: string) {
  const answer = await fetch(`${witness.address}/add-checkpoint`, { method: 'POST', body })
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
}
const call = (old: number, size: number, changed: { note?: string; proof?: Uint8Array[] } = {}) =>
  post(
    writeAddCheckpoint({
      old,
      proof: changed.proof ?? world.tree.consistency(old, size),
      checkpoint: changed.note ?? world.note(size),
    }),
  )
const newest = () => fetch(`${witness.address}/${toHex(sha256(utf8(ORIGIN)))}/checkpoint`)

test('a checkpoint that goes on the one before is signed, and shown with both signatures', async () => {
  expect((await newest()).status).toBe(404)
  expect((await call(0, 10)).status).toBe(200)
  const { status, body } = await call(10, SIZE)
  expect(status).toBe(200)
  const { text = '', signatures = [] } = readNote(world.note(SIZE)) ?? {}
  const whole = readNote(writeNote({ text, signatures }) + body)
  if (!whole || !key) throw new Error('No note')
  const [log] = POLICY.logKeys
  const signers = await signersOf(whole, [...POLICY.logKeys, key], verifyEd25519)
  expect(signers?.map((signer) => signer.key)).toEqual([log, key])
  expect(Math.abs((signers?.[1]?.at ?? 0) - Date.now() / 1000)).toBeLessThan(300)
  expect(await (await newest()).text()).toBe(writeNote(whole))
})

test('another size is answered with the one that was signed', async () => {
  await call(0, 10)
  expect(await call(9, SIZE)).toEqual({ status: 409, type: 'text/x.tlog.size', body: '10\n' })
  expect(await call(0, SIZE)).toMatchObject({ status: 409, body: '10\n' })
  expect((await call(10, 10)).status).toBe(200)
})

test('another history is refused, however it is asked for', async () => {
  await call(0, 10)
  const other = worldOf(acts.with(3, { ...(acts[3] as (typeof acts)[0]), text: '["erased"]' }))
  expect((await call(10, SIZE, { note: other.note(SIZE) })).status).toBe(422)
  expect(
    (await call(10, SIZE, { note: other.note(SIZE), proof: other.tree.consistency(10, SIZE) })).status,
  ).toBe(422)
  expect((await call(10, 10, { note: other.note(10) })).status).toBe(422)
  expect((await call(10, SIZE, { proof: [] })).status).toBe(422)
  expect((await call(10, 9, { proof: [] })).status).toBe(400)
  expect(await (await newest()).text()).toContain(`${ORIGIN}\n10\n`)
})

test('a first call has no proof', async () => {
  expect((await call(0, 10, { proof: world.tree.consistency(5, 10) })).status).toBe(422)
  expect((await newest()).status).toBe(404)
})

test('other logs, other keys and other words are refused', async () => {
  const { text = '', signatures = [] } = readNote(world.note(SIZE)) ?? {}
  const renamed = writeNote({ text: text.replace(ORIGIN, 'other.example/record'), signatures })
  expect((await call(0, SIZE, { note: renamed })).status).toBe(404)
  const other = verifierKey(sha256, { name: ORIGIN, type: 4, publicKey: keyOf('other').publicKey })
  const foreign = writeNote({ text, signatures: signatures.map((line) => ({ ...line, keyId: other.keyId })) })
  expect((await call(0, SIZE, { note: foreign })).status).toBe(403)
  const wrong = signatures.map((line) => ({ ...line, signature: line.signature.with(-1, 0) }))
  expect((await call(0, SIZE, { note: writeNote({ text, signatures: wrong }) })).status).toBe(403)
  for (const body of ['', 'old 0\n', `old 00\n\n${world.note()}`, `old 0\nAAAA\n\n${world.note()}`])
    expect((await post(body)).status).toBe(400)
  const longer = Array.from({ length: 64 }, () => sha256(utf8('x')))
  expect((await call(0, SIZE, { proof: longer })).status).toBe(400)
  expect((await post('x'.repeat(300_000))).status).toBe(413)
  expect((await fetch(`${witness.address}/add-checkpoint`)).status).toBe(405)
  expect((await newest()).status).toBe(404)
})

test('a signature that was given is remembered by the next process, however the last one ended', async () => {
  for (const size of [5, 6, 9, 20]) {
    const { status } = await call(size === 5 ? 0 : ({ 6: 5, 9: 6, 20: 9 }[size] ?? 0), size)
    expect(status).toBe(200)
    await restart('SIGKILL')
    expect(await call(0, SIZE)).toMatchObject({ status: 409, body: `${size}\n` })
  }
})

test('of many calls at once that go on one size, one alone is signed', async () => {
  await call(0, 10)
  const sizes = Array.from({ length: 20 }, (_, nth) => 11 + nth)
  const answers = await Promise.all(sizes.map((size) => call(10, size)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
})

test('a second process does not start in the folder of a first', async () => {
  const { code, words } = await run('witness', serving())
  expect(words).toContain(`Process ${witness.process.pid} uses`)
  expect(code).toBe(2)
})

test('a key is never written over', async () => {
  const before = readFileSync(at('key'), 'utf8')
  expect((await run('witness', ['new-key', 'a.example/b', at('key')])).code).toBe(2)
  expect(readFileSync(at('key'), 'utf8')).toBe(before)
  expect(before).toMatch(/^PRIVATE\+KEY\+witness\.example\/w9\+[0-9a-f]{8}\+/)
})
