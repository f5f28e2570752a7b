import { concat } from '../src/bytes.ts'
import { writeCheckpoint } from '../src/checkpoint.ts'
import { signedBytes, verifierKey, writeNote, writeSignature } from '../src/note.ts'
import { keyOf, sha256 } from '../src/test-hash.ts'
import { entriesTo, treeOf } from '../src/test-tree.ts'
import { writeAddCheckpoint } from '../src/witness.ts'

/** Calls of add-checkpoint in their order, as bodies: right ones, and each kind of wrong one. */

export const ORIGIN = 'tradepost.example/record'
const SIGNED_AT = 1_795_705_324
const { publicKey, sign } = keyOf('log')
/** The log's key in both types: some witnesses know the plain one alone. */
export const LOG_KEYS = ([1, 4] as const).map((type) =>
  verifierKey(sha256, { name: ORIGIN, type, publicKey }),
)

const honest = treeOf(sha256, entriesTo(300))
const forked = treeOf(sha256, entriesTo(300).with(2, concat(new Uint8Array(9))))

type Tree = typeof honest

function noteOf(tree: Tree, size: number, origin = ORIGIN): string {
  const text = writeCheckpoint({ origin, size, root: tree.root(size) })
  const signatures = LOG_KEYS.map(({ name, keyId, type }) => {
    const made = sign(signedBytes(type, text, SIGNED_AT))
    return { name, keyId, signature: writeSignature(type, made, SIGNED_AT) }
  })
  return writeNote({ text, signatures })
}

const call = (old: number, size: number, tree: Tree = honest, proof = tree.consistency(old, size)) =>
  writeAddCheckpoint({ old, proof, checkpoint: noteOf(tree, size) })

/** The plain signature stands first. */
const withWrongSignature = (body: string) => body.replace(/(— \S+ \S{40})\S{4}/, '$1AAAA')

export const CALLS: readonly { name: string; body: string }[] = [
  { name: 'a first checkpoint', body: call(0, 70) },
  { name: 'the same again from nothing', body: call(0, 70) },
  { name: 'the same size', body: call(70, 70) },
  { name: 'the next one', body: call(70, 255) },
  { name: 'a size that is not the newest', body: call(70, 256) },
  { name: 'a full tile', body: call(255, 256) },
  { name: 'another history', body: call(256, 300, forked) },
  { name: 'another root of the same size', body: call(256, 256, forked) },
  { name: 'no proof', body: call(256, 300, honest, []) },
  { name: 'an older checkpoint', body: call(256, 100, honest, []) },
  { name: 'a wrong signature', body: withWrongSignature(call(256, 300)) },
  { name: 'no signature of the log', body: call(256, 300).replaceAll(`— ${ORIGIN}`, '— other.example/log') },
  { name: 'a hash that is none', body: call(256, 300).replace(/\n\S{43}=\n/, '\nAAAA\n') },
  { name: 'no old size', body: call(256, 300).replace('old 256', 'size 256') },
  { name: 'the last one', body: call(256, 300) },
]
