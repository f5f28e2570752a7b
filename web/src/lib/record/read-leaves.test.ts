import { HISTORY_KEYS, leavesOf, serveTrader } from '@tradepost/record/test-history'
import { expect, test } from 'vitest'
import type { Ask } from './ask-record.ts'
import { countLeaves, sayCounts } from './count-leaves.ts'
import { readTraderLeaves } from './read-leaves.ts'

const day = (number: number) => Date.UTC(2026, 0, number)
const now = new Date(day(140))
const leaves = leavesOf([
  { kind: 'opened', hold: 2, open: 1, at: day(9) },
  { kind: 'opened', hold: 4, open: 2, at: day(60) },
  { kind: 'opened', hold: 1, open: 3, at: day(70) },
  { kind: 'closed', seqOfOpening: 3, open: 2, at: day(80) },
])

/** @param changed answers in the place of the right ones, by path; null for a 404, `'down'` for a server that fails */
const serverOf =
  (entries: Uint8Array[], changed: Record<string, unknown> = {}): Ask =>
  async (path) => {
    const pathname = path.replace(/\?.*/, '')
    const answer = pathname in changed ? changed[pathname] : serveTrader(entries)(path)
    if (answer === null) return new Response('', { status: 404 })
    if (answer === 'down') return new Response('', { status: 503 })
    if (typeof answer === 'string') return new Response(answer)
    return answer instanceof Uint8Array ? new Response(new Uint8Array(answer)) : Response.json(answer)
  }

test('a trader’s positions are counted from leaves that lead to the signed checkpoint', async () => {
  const read = await readTraderLeaves('maria', serverOf(leaves))
  if (read.outcome !== 'read') throw new Error(read.outcome)
  const counts = countLeaves(read.leaves, now)
  expect(counts?.closed).toBe(1)
  expect(counts && sayCounts(counts, now)).toBe(
    '2 open now, ages 80, 131 days; 1 past its declared hold. 1 closed.',
  )
})

test('a trader of no leaves has nothing open and nothing closed', async () => {
  const read = { outcome: 'read', leaves: [] }
  expect(await readTraderLeaves('nobody', serverOf([]))).toEqual(read)
  const unknown = { '/record/traders/nobody': null }
  expect(await readTraderLeaves('nobody', serverOf(leaves, unknown)), 'not found').toEqual(read)
  expect(sayCounts({ open: [], closed: 0 }, now)).toBe('None open now. 0 closed.')
})

const given = (indexes: number[]) => ({ record: '00', seq: 4, open: 2, closed: 1, leaves: indexes })

test.each<[string, Record<string, unknown>]>([
  ['the leaves are given out without the last but one', { '/record/traders/maria': given([10, 80, 220]) }],
  ['they are given out without the first', { '/record/traders/maria': given([80, 150, 220]) }],
  ['the proof leads elsewhere', { '/record/proof': { index: 220, size: 300, path: [] } }],
  ['the checkpoint is not signed by the keys', { '/record/keys': { ...HISTORY_KEYS, log: [] } }],
])('leaves are false when %s', async (_what, changed) => {
  expect(await readTraderLeaves('maria', serverOf(leaves, changed))).toEqual({ outcome: 'false' })
})

test.each(['/record/keys', '/record/traders/maria', '/record/checkpoint', '/record/proof'])(
  'nothing is said about the leaves while %s does not answer',
  async (path) => {
    const read = await readTraderLeaves('maria', serverOf(leaves, { [path]: 'down' }))
    expect(read).toEqual({ outcome: 'unreachable' })
  },
)

test('leaves whose counts contradict each other are not counted, and a struck position is open no more', async () => {
  const countOf = async (acts: Parameters<typeof leavesOf>[0]) => {
    const read = await readTraderLeaves('maria', serverOf(leavesOf(acts)))
    return read.outcome === 'read' ? countLeaves(read.leaves, now) : null
  }
  const opened = { kind: 'opened', hold: 5, open: 1, at: day(130) } as const
  expect(await countOf([opened, { ...opened, open: 1 }])).toBeNull()
  expect(await countOf([opened, { kind: 'adjusted', seqOfOpening: 1, open: 1, at: day(131) }])).toMatchObject(
    {
      open: [{ isPastHold: false }],
    },
  )
  expect(await countOf([opened, { kind: 'adjusted', seqOfOpening: 1, open: 0, at: day(131) }])).toEqual({
    open: [],
    closed: 0,
  })
})
