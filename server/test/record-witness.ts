import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fromBase64 } from '@tradepost/record/bytes'
import { readCheckpoint } from '@tradepost/record/checkpoint'
import {
  readNote,
  readVerifierKey,
  signedBytes,
  signersOf,
  verifierKey,
  writeSignature,
  writeSignatureLine,
  writeVerifierKey,
} from '@tradepost/record/note'
import { keyOf } from '@tradepost/record/test-hash'
import { isContinuation } from '@tradepost/record/tree'
import { sha256, verifyEd25519 } from '../src/record/hashes.ts'

type Behaviour =
  | 'signs'
  | 'signs for others'
  | 'signs wrongly'
  | 'is silent'
  | 'talks on'
  | 'redirects'
  | 'refuses'

/** A witness over real HTTP, as c2sp.org/tlog-witness asks for. */
export type TestWitness = AsyncDisposable & {
  vkey: string
  url: string
  behaviour: Behaviour
  /** The statuses of its answers, in order. */
  answered: number[]
  /** The newest tree that it has signed. */
  seen: { size: number; root: Uint8Array }
}

/** @param logKeys verifier keys of the log, read at each call */
export async function startWitness(name: string, logKeys: () => Promise<string[]>): Promise<TestWitness> {
  const { publicKey, sign } = keyOf(name)
  const key = verifierKey(sha256, { name, type: 4, publicKey })
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const witness: TestWitness = {
    vkey: writeVerifierKey(key),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviour: 'signs',
    answered: [],
    seen: { size: 0, root: new Uint8Array() },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { behaviour } = witness
    if (behaviour === 'is silent') return
    if (behaviour === 'talks on') {
      while (!response.destroyed) {
        response.write('x'.repeat(65_536))
        await new Promise((resolve) => setImmediate(resolve))
      }
      return
    }
    if (behaviour === 'redirects') return end(response, 302, '', { location: `${witness.url}/elsewhere` })
    if (behaviour === 'refuses') return end(response, 403, '')
    if (request.method !== 'POST' || request.url !== '/add-checkpoint') return end(response, 404, '')
    const [status, text, headers] = await judge(Buffer.concat(chunks).toString())
    end(response, status, text, headers)
  }

  function end(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}) {
    witness.answered.push(status)
    response.writeHead(status, headers).end(text)
  }

  async function judge(
    body: string,
  ): Promise<[status: number, text: string, headers?: Record<string, string>]> {
    const [head = '', rest = ''] = splitOnce(body, '\n\n')
    const [first = '', ...proof] = head.split('\n')
    const old = Number(/^old (\d+)$/.exec(first)?.[1] ?? Number.NaN)
    const note = readNote(rest)
    const checkpoint = note && readCheckpoint(note.text)
    if (!note || !checkpoint || Number.isNaN(old) || old > checkpoint.size) return [400, '']
    const keys = (await logKeys()).flatMap((vkey) => readVerifierKey(sha256, vkey) ?? [])
    if (!(await signersOf(note, keys, verifyEd25519))) return [403, '']
    const { seen } = witness
    if (old !== seen.size) return [409, `${seen.size}\n`, { 'content-type': 'text/x.tlog.size' }]
    const hashes = proof.map((line) => fromBase64(line) ?? new Uint8Array())
    if (old > 0 && !isContinuation(sha256, seen, checkpoint, hashes)) return [422, '']
    if (old === 0 && hashes.length > 0) return [422, '']
    witness.seen = checkpoint
    const at = 1_772_636_400
    const signature = sign(signedBytes(4, note.text, witness.behaviour === 'signs wrongly' ? at + 1 : at))
    const line = { name, keyId: key.keyId, signature: writeSignature(4, signature, at) }
    const other = { ...line, name: 'somebody.example/else' }
    const lines = witness.behaviour === 'signs for others' ? [other, line, other] : [line]
    return [200, lines.map(writeSignatureLine).join('')]
  }
  return witness
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return [text.slice(0, at), text.slice(at + separator.length)]
}
