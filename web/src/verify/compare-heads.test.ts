import { HISTORY_KEYS, type History, historyOf } from '@tradepost/record/test-history'
import { expect, test } from 'vitest'
import type { Ask } from '../lib/record/ask-record.ts'
import { policyOf, readSignedHead } from '../lib/record/known-keys.ts'
import { compareWithToday, contradictionIn } from './compare-heads.ts'
import { writeEvidence } from './evidence.ts'
import { sayComparison } from './words.ts'

const policy = policyOf(HISTORY_KEYS)
const history = historyOf()
const rewritten = historyOf({ changed: 7 })

async function headOf(of: History, size: number) {
  const head = await readSignedHead(of.note(size), policy)
  if (!head) throw new Error('The note is not signed')
  return head
}

/** A server that has so much of a history. */
const serverOf =
  (of: History, size: number): Ask =>
  async (path) => {
    const { pathname, searchParams } = new URL(path, 'https://tradepost.example')
    if (pathname === '/record/checkpoint') return new Response(of.note(size))
    const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))]
    return to > size ? new Response('', { status: 404 }) : Response.json({ proof: of.proof(from, to) })
  }

test('two checkpoints of one size contradict each other when their roots differ', async () => {
  const [first, second] = [await headOf(history, 100), await headOf(rewritten, 100)]
  expect(contradictionIn([first, await headOf(history, 120), second])).toEqual({ first, second, proof: null })
  expect(contradictionIn([first, first, await headOf(rewritten, 120)])).toBeNull()
})

test('a record that has grown goes on from what was held, and one that was rewritten does not', async () => {
  const held = [await headOf(history, 60), await headOf(history, 100)]
  const grown = await compareWithToday(held, policy, serverOf(history, 150))
  expect(sayComparison(grown)).toEqual({
    colour: 'good',
    sentence:
      'Today’s record still has it, unchanged: 150 entries, signed Nov 26, 2026, 15:02 UTC, 1 witness.',
  })
  const changed = await compareWithToday(held, policy, serverOf(rewritten, 150))
  expect(changed).toMatchObject({ outcome: 'contradicted' })
  if (changed.outcome !== 'contradicted') return
  const evidence = writeEvidence(changed.contradiction, ['AQEE'], ['key'], new Date('2026-11-28T00:00:00Z'))
  for (const part of [history.note(60), rewritten.note(150), 'Collected 2026-11-28T00:00:00.000Z.', 'AQEE'])
    expect(evidence).toContain(part)
  for (const hash of rewritten.proof(60, 150)) expect(evidence).toContain(hash)
})

test('a record that is shorter than what was held is not proven to go on', async () => {
  const held = [await headOf(history, 100)]
  const shorter = await compareWithToday(held, policy, serverOf(history, 80))
  expect(shorter).toMatchObject({ outcome: 'unproven', head: { size: 100 }, today: { size: 80 } })
  expect(sayComparison(shorter).colour).toBe('open')
})

test('an older copy of the record that goes on to what was held is no contradiction', async () => {
  const ask: Ask = async (path) =>
    path === '/record/checkpoint' ? new Response(history.note(80)) : serverOf(history, 100)(path)
  expect(await compareWithToday([await headOf(history, 100)], policy, ask)).toMatchObject({
    outcome: 'continued',
  })
})

test('without a network, and before a server without a signed record, nothing is said about today', async () => {
  const held = [await headOf(history, 100)]
  expect(await compareWithToday(held, policy, async () => null)).toEqual({ outcome: 'unreachable' })
  const none: Ask = async () => new Response('', { status: 404 })
  expect(await compareWithToday(held, policy, none)).toEqual({ outcome: 'unreachable' })
  const unsigned: Ask = async () => new Response(history.note(150).replace('\n150\n', '\n151\n'))
  expect(await compareWithToday(held, policy, unsigned)).toEqual({ outcome: 'unsigned' })
})
