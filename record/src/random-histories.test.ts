import fc from 'fast-check'
import { expect, test } from 'vitest'
import { auditLog } from './audit.ts'
import { auditHeld } from './held.ts'
import { readLeaf } from './leaf.ts'
import { type Act, actsWriter, TRADERS } from './test-acts.ts'
import { crypto, POLICY, sourceOf, type World, worldOf, worldOfEntries } from './test-world.ts'

const RUNS = 1000

/** Acts drawn by numbers, some with an erased person at the end. */
const history = fc
  .tuple(fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 50 }), fc.nat(5))
  .map(([draws, erased]) => {
    const writer = actsWriter()
    for (const choice of draws) writer.draw(choice)
    writer.open('alice', 1)
    const name = TRADERS[erased]
    if (name && writer.acts.some(({ trader }) => trader === name)) writer.erase(name)
    return writer.acts
  })

type Edit = { name: string; place: number; bit: number }
const edit: fc.Arbitrary<Edit> = fc.record({
  name: fc.constantFrom('a bit', 'a text', 'a count', 'a page', 'another history', 'an end', 'an order'),
  place: fc.nat(10_000),
  bit: fc.nat(108 * 8 - 1),
})

const spoiled = (bytes: Uint8Array, bit: number) =>
  bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))

/** The answers of somebody who changes one thing; null where there is no such thing in this history. */
function changed(world: World, { name, place, bit }: Edit) {
  const { acts, entries, openings, traders, signedAt } = world
  const at = place % entries.length
  const note = world.note()
  if (name === 'a bit') {
    const other = entries.with(at, spoiled(entries[at] ?? new Uint8Array(), bit))
    return sourceOf({ ...world, entries: other, note })
  }
  if (name === 'a text') {
    const index = openings.findIndex((shown, nth) => nth >= at && typeof shown === 'object')
    const shown = openings[index]
    if (typeof shown !== 'object') return null
    const other = { ...shown, text: shown.text.replace(/.$/, (end) => `${end} `) }
    return sourceOf({ ...world, openings: openings.with(index, other), note })
  }
  const [username, shown] = [...traders][place % Math.max(1, traders.size)] ?? []
  if (name === 'a count' || name === 'a page') {
    if (!username || !shown) return null
    const other =
      name === 'a count'
        ? { ...shown, [bit % 2 ? 'open' : 'closed']: shown.open + shown.closed + 1 }
        : { ...shown, leaves: shown.leaves.filter((_, nth) => nth !== place % shown.leaves.length) }
    return sourceOf({ ...world, traders: new Map(traders).set(username, other), note })
  }
  if (name === 'another history') {
    const act = acts[at] as Act
    const text = act.text.replace(/.\]$/, '!"]')
    const other = acts.with(at, { ...act, text, at: act.at + 1 })
    return worldOf(other, signedAt).source
  }
  if (name === 'an end') {
    const left = acts.slice(0, at)
    return left.length === 0 ? null : worldOf(left, signedAt).source
  }
  const [one, two] = [entries[at], entries[at + 1]]
  if (!one || !two) return null
  const order = entries.with(at, two).with(at + 1, one)
  return worldOfEntries(order, world).source
}

/** Everything that the public, somebody with all mails, and a browser find together. */
async function findAll(source: World['source'], world: World) {
  const usernames = [...world.traders.keys()]
  const { findings } = await auditLog(source, POLICY, crypto, usernames)
  const last = world.entries.length - 1
  const receipts = [last, Math.floor(last / 2)].map((index) => ({
    bytes: world.receipt(index, last + 1),
    ...(world.acts[index]?.trader ? { username: world.acts[index].trader } : {}),
  }))
  const held = { receipts, checkpoints: [world.note()] }
  return [...findings, ...(await auditHeld(held, source, POLICY, crypto))]
}

test('of a thousand random histories every honest one is clean, and every edit of one is found', async () => {
  const tried = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(history, edit, async (acts, one) => {
      const world = worldOf(acts)
      expect(await findAll(world.source, world)).toEqual([])
      const source = changed(world, one)
      if (!source) return
      tried.set(one.name, (tried.get(one.name) ?? 0) + 1)
      expect(await findAll(source, world)).not.toEqual([])
    }),
    { numRuns: RUNS },
  )
  expect([...tried.keys()].sort()).toEqual([
    ...['a bit', 'a count', 'a page', 'a text', 'an end', 'an order', 'another history'],
  ])
  expect([...tried.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(800)
})

test('a leaf with one bit changed is another leaf or none, so that no edit of a bit is empty', () => {
  const [entry = new Uint8Array()] = worldOf(actsWith(1)).entries
  for (let bit = 0; bit < entry.length * 8; bit++)
    expect(readLeaf(spoiled(entry, bit))).not.toEqual(readLeaf(entry))
})

function actsWith(steps: number): Act[] {
  const writer = actsWriter()
  for (let step = 0; step < steps; step++) writer.open('alice', step)
  return writer.acts
}
