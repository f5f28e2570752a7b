import { expect, test } from 'vitest'
import { readNote, signedBytes, verifierKey, writeNote, writeSignature, writeVerifierKey } from './note.ts'
import type { Act } from './test-acts.ts'
import { acts, CLEAN, closing, found, honest, opening, SIZE, site } from './test-attacks.ts'
import { keyOf, sha256 } from './test-hash.ts'
import { ORIGIN, POLICY, sourceOf, worldOf } from './test-world.ts'

/* Attacks that change no price and hide no leaf: on instants, names, words, erasures and keys. */

test('a close is dated half a minute earlier, within what clocks may disagree by, and the log signed again', async () => {
  const moved = acts.map((act, at) => (at === closing ? { ...act, at: act.at - 30_000 } : act))
  expect(await found(worldOf(moved).source)).toEqual({
    P: [],
    W: ['A2'],
    B: ['A4'],
    F: ['A4', 'A5', 'A18'],
    O: ['A4', 'A5'],
  })
})

const shownOf = (trader: string) => {
  const shown = honest.traders.get(trader)
  if (!shown) throw new Error(`${trader} is there`)
  return shown
}

test('two traders are given the records of each other', async () => {
  const traders = new Map(honest.traders).set('alice', shownOf('bob')).set('bob', shownOf('alice'))
  expect(await found(site({ traders }))).toEqual({ ...CLEAN, F: ['A20'], O: ['A20'] })
})

test('a trader is shown the record of a better one beside that one', async () => {
  const traders = new Map(honest.traders).set('alice', shownOf('bob'))
  expect(await found(site({ traders }))).toEqual({ ...CLEAN, P: ['A16'], F: ['A20'] })
})

test('a bad history is erased, logged as such, and its living trader goes on under another record', async () => {
  const last = acts.at(-1) as Act
  const erased: Act = { ...last, kind: 'erased', hold: 0, text: '["erased"]' }
  const reborn: Act = { ...last, trader: 'alice again' }
  const world = worldOf([...acts, erased, reborn])
  const again = world.traders.get('alice again')
  if (!again) throw new Error('alice goes on')
  const traders = new Map(world.traders).set('alice', again)
  const source = sourceOf({ ...world, note: world.note(), traders })
  expect(await found(source)).toEqual({ ...CLEAN, F: ['A20'] })
})

test('a name that somebody else is given a year after its person was erased convicts nobody', async () => {
  const last = acts.at(-1) as Act
  const erased: Act = { ...last, kind: 'erased', hold: 0, text: '["erased"]' }
  const yearLater = (days: number): Act => ({ ...last, trader: 'another', at: last.at + days * 86_400_000 })
  for (const [days, findings] of [
    [364, ['A20']],
    [365, []],
  ] as const) {
    const world = worldOf([...acts, erased, yearLater(days)])
    const another = world.traders.get('another')
    if (!another) throw new Error('another acts')
    const traders = new Map(world.traders).set('alice', another)
    expect((await found(sourceOf({ ...world, note: world.note(), traders }))).F, `${days}`).toEqual(findings)
  }
})

test('the words of one entry are deleted, as though its person were erased', async () => {
  const ofClosed = site({ openings: honest.openings.with(closing, 'erased') })
  expect(await found(ofClosed)).toEqual({ ...CLEAN, P: ['A14'], F: ['A20'] })
  expect(honest.openings[SIZE - 1], 'nobody may ask for it yet').toBe('sealed')
  const ofOpen = site({ openings: honest.openings.with(SIZE - 1, 'erased') })
  expect(await found(ofOpen)).toEqual({ ...CLEAN, F: ['A20'] })
})

test('a person’s words and record are taken out of the database, and what is left of them is said to be sealed', async () => {
  const openings = honest.openings.with(opening, 'sealed').with(closing, 'sealed')
  const traders = new Map(honest.traders)
  traders.delete('alice')
  expect(await found(site({ openings, traders }))).toEqual({ ...CLEAN, P: ['A14'], F: ['A20'] })
})

const { publicKey, sign } = keyOf('slipped in')
const SLIPPED_IN = verifierKey(sha256, { name: ORIGIN, type: 4, publicKey })
/** A world's checkpoint under a key of which the site says that it is the log's. */
function signedByIt(world: ReturnType<typeof worldOf>): string {
  const text = readNote(world.note())?.text ?? ''
  const at = world.signedAt / 1000
  const signature = writeSignature(4, sign(signedBytes(4, text, at)), at)
  return writeNote({ text, signatures: [{ name: ORIGIN, keyId: SLIPPED_IN.keyId, signature }] })
}

test('a key that no entry announced signs another history, and the site shows it among its keys', async () => {
  const world = worldOf(acts.map((act, at) => (at === closing ? { ...act, at: act.at - 30_000 } : act)))
  const source = sourceOf({ ...world, note: signedByIt(world) })
  expect(await found(source), 'by the keys that somebody kept').toEqual({
    P: ['A1'],
    W: [],
    B: ['A1'],
    F: ['A1'],
    O: ['A1'],
  })
  const shown = { ...POLICY, logKeys: [...POLICY.logKeys, SLIPPED_IN] }
  const { P, W, B, F, O } = await found(source, shown)
  expect({ P, W, B }).toEqual({ P: ['A24'], W: ['A2'], B: ['A4'] })
  expect(F).toEqual(['A4', 'A5', 'A18'])
  expect(O).toEqual(['A4', 'A5'])
})

test('a key that an entry announced signs, and nobody finds anything', async () => {
  const text = JSON.stringify(['key', writeVerifierKey(SLIPPED_IN), '2026-12-01'])
  const last = acts.at(-1) as Act
  const announced: Act = { ...last, trader: null, kind: 'key', hold: 0, flags: 0, seqOfOpening: 0, text }
  const world = worldOf([...acts, announced])
  const source = sourceOf({ ...world, note: signedByIt(world) })
  const shown = { ...POLICY, logKeys: [...POLICY.logKeys, SLIPPED_IN] }
  const { W, ...others } = await found(source, shown)
  expect(others).toEqual({ P: [], B: [], F: [], O: [] })
  expect(W, 'a witness knows the keys that its operator was given').toEqual(['A2'])
})
