import { expect, test } from 'vitest'
import answers from '../test-vectors/witness.json' with { type: 'json' }
import { CALLS, LOG_KEYS, ORIGIN } from '../test-vectors/witness-calls.ts'
import { readBytes } from './bytes.ts'
import { readSignatureLine, verifierKey } from './note.ts'
import { keyOf, sha256, verifyEd25519 } from './test-hash.ts'
import { addCheckpoint, type WitnessKey } from './witness.ts'

const { publicKey, sign } = keyOf('w1')
const key: WitnessKey = {
  ...verifierKey(sha256, { name: 'witness.example/w1', type: 4, publicKey }),
  ...{ type: 4, sign },
}

/** When a line was signed; 0 for another body. */
function timeOf(body: string): number {
  const line = readSignatureLine(body.trimEnd())
  return (line && readBytes(line.signature).number(8)) ?? 0
}

test('calls of add-checkpoint are answered as torchwood’s litewitness answers them, signatures to the byte', async () => {
  expect(answers.map(({ name }) => name)).toEqual(CALLS.map(({ name }) => name))
  let kept: string | null = null
  for (const [nth, { name, body }] of CALLS.entries()) {
    const theirs = answers[nth]
    const { keep, status, ...ours } = await addCheckpoint(
      body,
      { logs: [{ origin: ORIGIN, keys: LOG_KEYS }], key, kept: () => kept, at: timeOf(theirs?.body ?? '') },
      { sha256, verify: verifyEd25519 },
    )
    expect({ name, status }).toEqual({ name, status: theirs?.status })
    // Words of refusals are everybody's own.
    if (status === 200 || status === 409)
      expect(ours).toMatchObject({ body: theirs?.body, type: theirs?.type })
    kept = keep ?? kept
  }
  expect(answers.map(({ status }) => status)).toEqual([
    ...[200, 409, 200, 200, 409, 200, 422, 422, 422, 400, 403, 403, 400, 400, 200],
  ])
})
