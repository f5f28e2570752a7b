import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fromHex, sameBytes, toHex, utf8 } from '../src/bytes.ts'
import { findErasure, withoutErased } from '../src/find-erased.ts'
import { type Finding, finding } from '../src/findings.ts'
import { readNote, type VerifierKey, writeNote } from '../src/note.ts'
import type { Policy } from '../src/receipt.ts'
import { readSignedHead, type SignedHead } from '../src/signed-head.ts'
import { readTilePath } from '../src/tiles.ts'
import { cosign, type WitnessKey } from '../src/witness.ts'
import { getWhole, httpSource, NoAnswer, readPolicy } from './http-source.ts'
import { readKept, readKeptText, writeKept } from './kept-file.ts'
import { lockFolder } from './lock-folder.ts'
import { type Copy, openCopy } from './mirror-copy.ts'
import { openTexts } from './mirror-texts.ts'
import { crypto, readSecretKey, sha256 } from './node-crypto.ts'
import { runProgram } from './run-program.ts'
import { type Call, needed, readCall } from './words-of-call.ts'

const USAGE = `A mirror of a public record: whole copies of its entries, tiles and revealed texts, held against the signed checkpoint.

  node mirror.mjs --from https://HOST --data FOLDER [--once] [--every 60] [--keys FILE] [--key FILE] [--port 8081] [--host 127.0.0.1]

  --once     ends after one copy: with 1 where the record is at fault, with 2 where it does not answer
  --every    seconds between two copies
  --keys     the record's keys, as HOST/record/keys shows them; the first copy keeps those of HOST without it
  --key      a secret key (node witness.mjs new-key NAME FILE) that signs what the mirror holds; not that of a witness
  --port     serves the copy: GET /HASH/checkpoint, /HASH/tile/..., with the SHA-256 of the origin in hexadecimal

FOLDER/texts.ndjson has the texts; those of a person whose record is erased are dropped.`

/** A mirror at work on one folder. */
type Mirror = { site: string; folder: string; policy: Policy; key: WitnessKey | null; copy: Copy }

async function main(args: string[]): Promise<number> {
  const call = readCall(args, {
    options: ['from', 'data', 'every', 'keys', 'key', 'port', 'host'],
    flags: ['once'],
  })
  const site = needed(call, 'from').replace(/\/+$/, '')
  const folder = needed(call, 'data')
  lockFolder(folder)
  const keyFile = call.options.get('key')
  const key = keyFile === undefined ? null : readSecretKey(readKeptText(keyFile) ?? '')
  const policy = await policyOf(site, folder, call)
  const mirror: Mirror = { site, folder, policy, key, copy: openCopy(folder) }
  const port = call.options.get('port')
  if (port !== undefined) await serve(mirror, Number(port), call.options.get('host') ?? '127.0.0.1')
  if (call.flags.has('once')) return (await copyOnce(mirror)) ? 0 : 1
  for (;;) {
    try {
      await copyOnce(mirror)
    } catch (error) {
      console.error(error instanceof NoAnswer ? error.message : error)
    }
    await wait(1000 * Number(call.options.get('every') ?? 60))
  }
}

async function policyOf(site: string, folder: string, call: Call): Promise<Policy> {
  const file = call.options.get('keys') ?? join(folder, 'keys.json')
  const kept = readKept(file)
  if (kept) return readPolicy(kept)
  const bytes = await getWhole(`${site}/record/keys`)
  const policy = readPolicy(bytes)
  writeKept(file, bytes)
  return policy
}

/** @returns whether nothing was found */
async function copyOnce(mirror: Mirror): Promise<boolean> {
  const began = Date.now()
  const { copy, folder, policy, site } = mirror
  const source = httpSource(site)
  const signed = await source.checkpoint()
  const { head, findings } = await readSignedHead(signed, policy, crypto)
  if (!head) return report(findings)
  const kept = readKeptText(join(folder, 'checkpoint'))
  const before = kept === null ? null : (await readSignedHead(kept, { ...policy, quorum: 0 }, crypto)).head
  const found = [...findings, ...judgeHeads(before, head)]
  try {
    if (found.every(({ check }) => check === 'A2')) found.push(...(await copy.take(source, head, before)))
  } catch (error) {
    // The next round begins with the files that are there.
    mirror.copy = openCopy(folder)
    throw error
  }
  if (found.some(({ check }) => check !== 'A2')) {
    mirror.copy = openCopy(folder)
    return report(found)
  }
  writeKept(join(folder, 'checkpoint'), cosigned(signed, mirror))
  console.log(
    `${head.size} leaves in ${((Date.now() - began) / 1000).toFixed(1)} s, signed ${iso(head.signedAt)}`,
  )
  const texts = await openTexts(join(folder, 'texts.ndjson'))
  const ofTexts = await texts.take(source, copy.histories, head.signedAt)
  const erasureOf = (record: string) => findErasure(source, head, fromHex(record), policy, crypto)
  found.push(...(await withoutErased(ofTexts, erasureOf)))
  console.log(`${texts.size()} texts`)
  return report(found)
}

const iso = (ms: number) => new Date(ms).toISOString()

/** A newer head is at least as long as the one before; the copied entries show whether it goes on it. */
function judgeHeads(before: SignedHead | null, head: SignedHead): Finding[] {
  if (!before || before.size < head.size) return []
  if (before.size > head.size)
    return [finding('A3', `The log has ${head.size} leaves, and ${before.size} were copied`)]
  return sameBytes(before.root, head.root)
    ? []
    : [finding('A4', `The log signed two histories of ${head.size} leaves`)]
}

function report(findings: readonly Finding[]): boolean {
  for (const { check, words } of findings) console.log(`${check}  ${words}`)
  return findings.length === 0
}

/** The note with the signatures of known keys, and with the mirror's own. */
function cosigned(signed: string, { key, policy }: Mirror): string {
  const { text = '', signatures = [] } = readNote(signed) ?? {}
  const known: VerifierKey[] = [...policy.logKeys, ...policy.witnesses]
  const lines = signatures.filter((line) =>
    known.some(({ name, keyId }) => name === line.name && keyId === line.keyId),
  )
  const own = key ? [cosign(key, text, Math.floor(Date.now() / 1000))] : []
  return writeNote({ text, signatures: [...lines, ...own] })
}

async function serve({ folder, policy }: Mirror, port: number, host: string): Promise<void> {
  const prefix = `/${toHex(sha256(utf8(policy.origin)))}/`
  const server = createServer((request, response) => {
    const path = (request.url ?? '').startsWith(prefix) ? (request.url ?? '').slice(prefix.length) : ''
    const isTile = readTilePath(path) !== null
    const bytes = isTile || path === 'checkpoint' ? readKept(join(folder, path)) : null
    const type = isTile ? 'application/octet-stream' : 'text/plain; charset=utf-8'
    response.writeHead(bytes ? 200 : 404, { 'content-type': type }).end(bytes ?? 'Nothing is here\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  console.log(`Serves the copy at http://${host}:${(server.address() as AddressInfo).port}${prefix}`)
}

runProgram(USAGE, main)
