import { expect, test } from 'vitest'
import vectors from '../test-vectors/vectors.json' with { type: 'json' }
import { fromBase64 } from './bytes.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import {
  readNote,
  readSignatureLine,
  readVerifierKey,
  signedBytes,
  signersOf,
  type VerifierKey,
  verifierKey,
  writeNote,
  writeSignature,
  writeVerifierKey,
} from './note.ts'
import { keyOf, sha256, verifyEd25519 } from './test-hash.ts'

const key = (text: string): VerifierKey => {
  const read = readVerifierKey(sha256, text)
  if (!read) throw new Error(`No key: ${text}`)
  return read
}
const signed = async (note: string, keys: VerifierKey[]) => {
  const read = readNote(note)
  return read && signersOf(read, keys, verifyEd25519)
}

test('the note of the specification is signed by its key, and changed by a letter it is not', async () => {
  const example = key('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k')
  const note = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`
  expect(await signed(note, [example])).toEqual([{ key: example, at: null }])
  expect(await signed(note.replace('an example', 'an exomple'), [example])).toBeNull()
  expect(await signed(note, [])).toBeNull()
})

test('notes of Go’s package, of torchwood and of transparency-dev are read, checked and written to the byte', async () => {
  expect(vectors.notes.map(({ made }) => made)).toEqual([
    'golang.org/x/mod/sumdb/note',
    'filippo.io/torchwood',
    'github.com/transparency-dev/formats/note',
    'all three',
  ])
  const seeds: Record<string, string> = { 'tradepost.example/record': 'log', 'witness.example/w1': 'w1' }
  for (const { keys, note } of vectors.notes) {
    const known = keys.map(key)
    expect(known.map(writeVerifierKey)).toEqual(keys)
    const read = readNote(note)
    const signers = await signed(note, known)
    expect(signers?.map((signer) => signer.key)).toEqual(known)
    // Ed25519 signs alike everywhere: the same keys make the same note.
    const signatures = signers?.map((signer) => {
      const { name, keyId, type } = signer.key
      const made = keyOf(seeds[name] ?? '').sign(signedBytes(type, read?.text ?? '', signer.at ?? 0))
      return { name, keyId, signature: writeSignature(type, made, signer.at ?? 0) }
    })
    expect(writeNote({ text: read?.text ?? '', signatures: signatures ?? [] })).toBe(note)
  }
})

test('one wrong signature of a known key refuses a note that others signed', async () => {
  const { keys, note } = vectors.notes.at(-1) ?? { keys: [], note: '' }
  const lines = note.split('\n')
  const wrong = lines.with(-2, (lines.at(-2) ?? '').replace(/.{6}=*$/, 'AAAAAA=='))
  expect(lines.at(-2)).toContain('witness.example/w1')
  expect(await signed(wrong.join('\n'), keys.map(key))).toBeNull()
  expect(await signed(wrong.join('\n'), keys.slice(0, 2).map(key))).toHaveLength(2)
})

test('a timed signature holds for its time alone', async () => {
  const { publicKey, sign } = keyOf('w2')
  const witness = verifierKey(sha256, { name: 'witness.example/w2', type: 4, publicKey })
  const text = writeCheckpoint({
    origin: 'tradepost.example/record',
    size: 1,
    root: sha256(new Uint8Array()),
  })
  const at = (signedAt: number, saidAt: number) =>
    writeNote({
      text,
      signatures: [
        { ...witness, signature: writeSignature(4, sign(signedBytes(4, text, signedAt)), saidAt) },
      ],
    })
  expect(await signed(at(1_795_000_000, 1_795_000_000), [witness])).toEqual([
    { key: witness, at: 1_795_000_000 },
  ])
  expect(await signed(at(1_795_000_000, 1_795_000_001), [witness])).toBeNull()
})

test.each([
  ['without a blank line', 'text\n— a/b AAAAAAAA\n'],
  ['without a signature', 'text\n\n'],
  ['that does not end its last line', 'text\n\n— a/b AAAAAAAA'],
  ['with a control character', 'te\u0007xt\n\n— a/b AAAAAAAA\n'],
  ['with a carriage return', 'text\r\n\n— a/b AAAAAAAA\n'],
  ['with half a character', 'te\ud800xt\n\n— a/b AAAAAAAA\n'],
  ['with a hyphen for the dash', 'text\n\n- a/b AAAAAAAA\n'],
  ['with a name that holds a plus', 'text\n\n— a+b AAAAAAAA\n'],
  ['with an id and no signature', 'text\n\n— a/b AAAAAA==\n'],
  ['with loose bits', 'text\n\n— a/b AAAAAAF=\n'],
  ['with too many signatures', `text\n\n${'— a/b AAAAAAAA\n'.repeat(65)}`],
])('a note %s is none', (_how, note) => {
  expect(readNote(note)).toBeNull()
})

test('a text may have empty lines: the last one ends it', () => {
  expect(readNote('one\n\ntwo\n\n— a/b AAAAAAAA\n')?.text).toBe('one\n\ntwo\n')
  expect(readSignatureLine('— a/b AAAAAAAA')).toEqual({ name: 'a/b', keyId: 0, signature: new Uint8Array(2) })
})

test.each([
  ['another id', 'example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'],
  ['an id in capitals', 'example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'],
  ['an unknown type', 'example.com/foo+530d903a+CekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'],
  ['a short key', 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3Q=='],
  ['no name', '+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'],
])('a key with %s is none', (_how, text) => {
  expect(readVerifierKey(sha256, text)).toBeNull()
})

test('a checkpoint is three lines, and lines behind them are left to others', () => {
  const text = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'
  const checkpoint = readCheckpoint(text)
  expect(checkpoint?.size).toBe(20_852_163)
  expect(checkpoint && writeCheckpoint(checkpoint)).toBe(text)
  expect(readCheckpoint(`${text}more\n`)?.origin).toBe('example.com/behind-the-sofa')
  expect(fromBase64('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=')).toEqual(checkpoint?.root)
})

test.each([
  'a\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
  'a\n-1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
  'a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxqw==\n',
  'a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
  'a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n',
  '\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
  'a\n99999999999999999\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
])('%j is no checkpoint', (text) => {
  expect(readCheckpoint(text)).toBeNull()
})
