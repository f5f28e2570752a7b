import { expect, test } from 'vitest'
import { type Act, iso } from './test-acts.ts'
import {
  acts,
  CLEAN,
  changedText,
  closing,
  found,
  honest,
  opening,
  otherPrice,
  SIZE,
  seqOfOpening,
  site,
} from './test-attacks.ts'
import { sourceOf, type World, worldOf, worldOfEntries } from './test-world.ts'

test('an honest history has kinds of every sort, and nobody finds anything', async () => {
  expect(new Set(acts.map(({ kind, flags }) => `${kind} ${flags}`))).toEqual(
    new Set(['opened 4', 'closed 4', 'opened 0', 'closed 0', 'closed 2', 'adjusted 0', 'marks 0', 'key 0']),
  )
  for (const change of ['split', 'settled', 'price', 'struck', 'renamed'])
    expect(acts.some(({ text }) => text.includes(`"${change}"`))).toBe(true)
  expect(await found(honest.source)).toEqual(CLEAN)
})

test('a person whose record was erased, and logged as such, is missed by nobody', async () => {
  const erased: Act = { ...(acts.at(-1) as Act), kind: 'erased', hold: 0, text: '["erased"]' }
  const world = worldOf([...acts, erased])
  expect(world.openings[opening]).toBe('erased')
  expect(world.traders.has('alice')).toBe(false)
  expect(await found(world.source)).toEqual(CLEAN)
})

test('the price of a closed position is changed on the site alone', async () => {
  const shown = honest.openings[closing]
  const openings = honest.openings.with(closing, {
    ...(shown as { salt: Uint8Array }),
    text: otherPrice(acts[closing]?.text),
  })
  expect(await found(site({ openings }))).toEqual({ ...CLEAN, P: ['A13'], F: ['A19', 'A22'] })
})

test('the price of a closed position is changed, and the log signed again', async () => {
  const changed = acts.map((act, at) => (at === closing ? { ...act, text: otherPrice(act.text) } : act))
  expect(await found(worldOf(changed).source)).toEqual({
    P: [],
    W: ['A2'],
    B: ['A4'],
    F: ['A4', 'A5', 'A18', 'A19', 'A21', 'A22'],
    O: ['A4', 'A5'],
  })
})

const withoutLoser = (traders: World['traders'], leaves: number[], of: 'open' | 'closed') => {
  const shown = traders.get('alice')
  if (!shown) throw new Error('alice is there')
  return new Map(traders).set('alice', {
    ...shown,
    [of]: shown[of] - 1,
    leaves: shown.leaves.filter((index) => !leaves.includes(index)),
  })
}

test('a closed loser is deleted', async () => {
  const traders = withoutLoser(honest.traders, [opening, closing], 'closed')
  const openings = honest.openings.with(opening, 'sealed').with(closing, 'sealed')
  expect(await found(site({ openings, traders }))).toEqual({ ...CLEAN, P: ['A14', 'A16'], F: ['A21'] })
})

/** The history without the loser, renumbered. */
const withoutLeaves = () =>
  acts.flatMap((act, index) => {
    if (index === opening || index === closing) return []
    const isLater = act.trader === 'alice' && act.seqOfOpening > seqOfOpening
    const closedBefore = isLater && index > closing && act.seqOfOpening > seqOf(closing)
    return [{ ...act, seqOfOpening: act.seqOfOpening - (isLater ? 1 : 0) - (closedBefore ? 1 : 0) }]
  })
const seqOf = (index: number) => acts.slice(0, index + 1).filter(({ trader }) => trader === 'alice').length

test('a closed loser is deleted, the history renumbered, and the log signed again', async () => {
  expect(await found(worldOf(withoutLeaves()).source)).toEqual({
    P: [],
    W: ['A2'],
    B: ['A3'],
    F: ['A3', 'A5', 'A18', 'A19', 'A21', 'A22', 'A23'],
    O: ['A3', 'A5', 'A18', 'A19', 'A21', 'A22', 'A23'],
  })
})

test('an open loser is hidden on the profile', async () => {
  const traders = withoutLoser(honest.traders, [SIZE - 1], 'open')
  expect(await found(site({ traders }))).toEqual({ ...CLEAN, P: ['A15'], F: ['A21'] })
})

/** A winner that alice is said to have opened and closed. */
const winner = (at: number, seq: number): Act[] => {
  const facts = (price: string) => `"F","${price}","USD","${iso(at)}"`
  const shared = { trader: 'alice', flags: 0, at }
  return [
    { ...shared, kind: 'opened', hold: 1, seqOfOpening: 0, text: `["opened",${facts('1')},"hold 1","x"]` },
    { ...shared, kind: 'closed', hold: 0, seqOfOpening: seq, text: `["closed",${facts('900')},"","x"]` },
  ]
}

test('a winner of last week is written today', async () => {
  const today = acts.at(-1)?.at ?? 0
  const world = worldOf([...acts, ...winner(today - 7 * 86_400_000, seqOf(SIZE) + 1)])
  expect(await found(world.source)).toEqual({ ...CLEAN, P: ['A11'] })
})

test('a winner is put into the past, and the log signed again', async () => {
  const middle = closing
  const seq = seqOf(middle)
  const later = acts.slice(middle + 1).map((act) => ({
    ...act,
    seqOfOpening: act.seqOfOpening + (act.trader === 'alice' && act.seqOfOpening > seq ? 2 : 0),
  }))
  const put = winner(acts[middle]?.at ?? 0, seq + 1)
  const { P, W, B, F, O } = await found(worldOf([...acts.slice(0, middle + 1), ...put, ...later]).source)
  expect({ P, W, B }).toEqual({ P: [], W: ['A2'], B: ['A5'] })
  expect(F).toEqual(expect.arrayContaining(['A5', 'A18']))
  expect(O).toEqual(expect.arrayContaining(['A5', 'A18']))
})

test('the instant of an opening is changed on the site', async () => {
  const shown = honest.openings[opening]
  const text = changedText(acts[opening]?.text, /"2026-[^"]*Z"/, `"${iso(1_767_700_000_000)}"`)
  const openings = honest.openings.with(opening, { ...(shown as { salt: Uint8Array }), text })
  expect(await found(site({ openings }))).toEqual({ ...CLEAN, P: ['A13'], F: ['A19', 'A23'] })
})

test('two leaves are swapped', async () => {
  const { entries } = honest
  const swapped = entries
    .with(closing, entries[closing + 1] ?? new Uint8Array())
    .with(closing + 1, entries[closing] ?? new Uint8Array())
  const world = worldOfEntries(swapped, honest)
  const { P, W, B, F, O } = await found(
    sourceOf({ ...honest, entries: swapped, tree: world.tree, note: honest.note() }),
  )
  expect(P).toContain('A6')
  expect({ W, B }).toEqual({ W: [], B: [] })
  expect(F).toEqual(['A5', 'A18'])
  expect(O).toEqual(['A5', 'A18'])
})

/** The last three acts are others. */
const forked = acts.map((act, at) => (at < SIZE - 3 ? act : { ...act, text: otherPrice(act.text) }))

test('another reader is shown another history of the same length', async () => {
  expect(await found(worldOf(forked).source)).toEqual({
    P: [],
    W: ['A2'],
    B: ['A4'],
    F: ['A4', 'A18'],
    O: ['A4', 'A18', 'A19', 'A21', 'A22'],
  })
})

test('the end is dropped, and an old checkpoint served', async () => {
  const note = honest.note(SIZE - 3)
  const source = sourceOf({ ...honest, note })
  expect(await found(source)).toEqual({
    P: ['A15', 'A16'],
    W: ['A2'],
    B: ['A3'],
    F: ['A3', 'A18'],
    O: ['A3', 'A18'],
  })
})

test('the last leaf is forged, and the log signed again', async () => {
  const last = acts.map((act, at) => (at === SIZE - 1 ? { ...act, text: otherPrice(act.text) } : act))
  const { P, W, B, F, O } = await found(worldOf(last).source)
  expect({ P, W, B }).toEqual({ P: [], W: ['A2'], B: ['A4'] })
  expect(F).toEqual(expect.arrayContaining(['A4', 'A18']))
  expect(O).toContain('A4')
})

test('a person vanishes, and no leaf says so', async () => {
  const openings = honest.openings.map((shown, index) => (acts[index]?.trader === 'alice' ? 'erased' : shown))
  const traders = new Map(honest.traders)
  traders.delete('alice')
  const { P, ...others } = await found(site({ openings, traders }))
  expect({ P, ...others }).toEqual({ ...CLEAN, P: ['A14'], F: ['A20'] })
})
