import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { joinSubtrees, leafHash, nodeHash } from '../../record/src/tree.ts'
import type { Database } from '../../server/src/platform/database/database.ts'

const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')

/**
 * Every event is in the record once, in the order of its trader, and every root that was signed is the root of the entries.
 * @returns how many entries and checkpoints there are
 */
export async function requireWholeRecord({
  pool,
}: Pick<Database, 'pool'>): Promise<{ 'entries of the record': number; 'signed roots': number }> {
  const { rows: entries } = await pool.query<{ log_index: number; leaf: Buffer }>(
    'select log_index, leaf from record_entries order by log_index',
  )
  assert.deepEqual(
    entries.map((entry) => Number(entry.log_index)),
    entries.map((_, index) => index),
    'the record has a gap',
  )
  const { rows: apart } = await pool.query(
    `select trader_id, event_no, log_index from position_events full join record_plan using (trader_id, event_no)
     where log_index is null or position_events.trader_id is null`,
  )
  assert.deepEqual(apart, [], 'what is published is not what is logged')
  const { rows: disordered } = await pool.query(
    `select from (select log_index, lag(log_index) over (partition by trader_id order by event_no) as before, seq,
       row_number() over (partition by trader_id order by event_no) as nth from record_plan) plan
     where before > log_index or seq <> nth`,
  )
  assert.equal(disordered.length, 0, 'events of a trader are not in their order')
  const { rows: checkpoints } = await pool.query<{ size: number; root: Buffer }>(
    'select size, root from record_checkpoints order by size',
  )
  const roots = rootsAt(
    entries.map(({ leaf }) => new Uint8Array(leaf)),
    new Set(checkpoints.map(({ size }) => Number(size))),
  )
  for (const { root, size } of checkpoints)
    assert.equal(root.toString('hex'), roots.get(Number(size)), `another root was signed at ${size}`)
  return { 'entries of the record': entries.length, 'signed roots': checkpoints.length }
}

/** Roots in hexadecimal of the sizes that are asked for. */
function rootsAt(leaves: readonly Uint8Array[], sizes: ReadonlySet<number>): Map<number, string> {
  const roots = new Map<number, string>()
  const edge: Uint8Array[] = []
  leaves.forEach((leaf, index) => {
    let joined = leafHash(sha256, leaf)
    for (let place = index; place % 2 === 1; place = (place - 1) / 2) {
      const left = edge.pop()
      assert.ok(left)
      joined = nodeHash(sha256, left, joined)
    }
    edge.push(joined)
    if (sizes.has(index + 1)) roots.set(index + 1, Buffer.from(joinSubtrees(sha256, edge)).toString('hex'))
  })
  return roots
}
