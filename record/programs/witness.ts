import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { toHex, utf8 } from '../src/bytes.ts'
import { readVerifierKey } from '../src/note.ts'
import { addCheckpoint, type WitnessAnswer, type WitnessedLog } from '../src/witness.ts'
import { readKeptText, writeKept } from './kept-file.ts'
import { lockFolder } from './lock-folder.ts'
import { crypto, newSecretKey, readSecretKey, sha256, verifierText } from './node-crypto.ts'
import { runProgram, Usage } from './run-program.ts'
import { needed, readCall } from './words-of-call.ts'

const USAGE = `A witness of public records (c2sp.org/tlog-witness): it signs a checkpoint that goes on the one before, and no other.

  node witness.mjs new-key NAME FILE     writes a secret key, and prints the public one; NAME such as example.com/witness
  node witness.mjs serve --key FILE --logs FILE --data FOLDER [--port 8080] [--host 127.0.0.1]

  --logs          the public keys of logs, one a line, as HOST/record/keys shows them (type 4); their name is the log's origin
  --data          where the newest checkpoints lie; lose it and the witness can be led to sign another history

POST /add-checkpoint, and GET /HASH/checkpoint with the SHA-256 of the origin in hexadecimal.`

const MAX_BODY_BYTES = 256 * 1024
const SLOW_MS = 15_000

async function main([command, ...args]: string[]): Promise<number> {
  if (command === 'new-key') return makeKey(args)
  if (command !== 'serve') throw new Usage('new-key or serve?')
  const call = readCall(args, { options: ['key', 'logs', 'data', 'port', 'host'] })
  const key = readSecretKey(readNeeded(needed(call, 'key')))
  const logs = readLogs(readNeeded(needed(call, 'logs')))
  const folder = needed(call, 'data')
  lockFolder(folder)
  const answer = witnessOf({ key, logs, folder })
  const server = createServer((request, response) => {
    answer(request).then(
      (given) => respond(response, given),
      (error: unknown) => {
        console.error(error)
        respond(response, { status: 500, body: 'Not now\n', type: 'text/plain; charset=utf-8' })
      },
    )
  })
  server.requestTimeout = SLOW_MS
  server.headersTimeout = SLOW_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(call.options.get('port') ?? 8080), call.options.get('host') ?? '127.0.0.1', resolve)
  })
  const { address, port } = server.address() as AddressInfo
  console.log(`Witness ${verifierText(key)} at http://${address}:${port}`)
  await new Promise((resolve) => server.once('close', resolve))
  return 0
}

function makeKey([name, file]: string[]): number {
  if (!name || !file) throw new Usage('new-key needs a name and a file.')
  if (readKeptText(file) !== null) throw new Usage(`${file} is there already.`)
  const secret = newSecretKey(name)
  writeKept(file, `${secret}\n`)
  console.log(verifierText(readSecretKey(secret)))
  return 0
}

function readNeeded(file: string): string {
  const text = readKeptText(file)
  if (text === null) throw new Usage(`There is no file ${file}.`)
  return text
}

function readLogs(text: string): WitnessedLog[] {
  const logs = new Map<string, WitnessedLog>()
  for (const line of text.split('\n').filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
    const key = readVerifierKey(sha256, line.trim())
    if (!key) throw new Usage(`This is no public key: ${line}`)
    logs.set(key.name, { origin: key.name, keys: [...(logs.get(key.name)?.keys ?? []), key] })
  }
  if (logs.size === 0) throw new Usage('There is no log.')
  return [...logs.values()]
}

const hashOf = (origin: string) => toHex(sha256(utf8(origin)))
const note = (body: string): WitnessAnswer => ({ status: 200, body, type: 'text/plain; charset=utf-8' })
const refusal = (status: number, words: string): WitnessAnswer => ({ ...note(`${words}\n`), status })

function witnessOf({
  key,
  logs,
  folder,
}: {
  key: ReturnType<typeof readSecretKey>
  logs: readonly WitnessedLog[]
  folder: string
}): (request: IncomingMessage) => Promise<WitnessAnswer> {
  const fileOf = (origin: string) => join(folder, hashOf(origin), 'checkpoint')
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: between a look at the newest checkpoint and its replacement no other may be signed. */
  function add(body: string): Promise<WitnessAnswer> {
    const answered = last.then(async () => {
      const kept = (origin: string) => readKeptText(fileOf(origin))
      const at = Math.floor(Date.now() / 1000)
      const { keep, origin, ...answer } = await addCheckpoint(body, { logs, key, kept, at }, crypto)
      if (keep !== undefined && origin !== undefined) writeKept(fileOf(origin), keep)
      return answer
    })
    last = answered.catch(() => undefined)
    return answered
  }

  return async (request) => {
    const path = request.url ?? ''
    if (path === '/add-checkpoint') {
      if (request.method !== 'POST') return refusal(405, 'POST only')
      const body = await readBody(request)
      return body === null ? refusal(413, 'Too long') : add(body)
    }
    const log = logs.find(({ origin }) => path === `/${hashOf(origin)}/checkpoint`)
    const kept = log && readKeptText(fileOf(log.origin))
    return kept ? note(kept) : refusal(404, 'Nothing is here')
  }
}

/** @returns null for a body that is too long */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_BODY_BYTES) return null
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function respond(response: ServerResponse, { status, body, type }: WitnessAnswer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

runProgram(USAGE, main)
