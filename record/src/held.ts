import { sameBytes, toHex } from './bytes.ts'
import { readEntryText } from './entry-text.ts'
import { findErasure, isAnothersSince } from './find-erased.ts'
import { type Finding, finding } from './findings.ts'
import { writeLeaf } from './leaf.ts'
import { type CheckedReceipt, checkReceipt, type Policy } from './receipt.ts'
import type { RecordSource } from './record-source.ts'
import { type Crypto, readSignedHead } from './signed-head.ts'
import { isContinuation, leafHash, rootOfInclusion } from './tree.ts'

/** Things of a log that somebody holds from outside. */
export type Held = {
  /** Of mails. `username` is the trader's, where it is known. */
  receipts: readonly { bytes: Uint8Array; username?: string }[]
  /** Signed checkpoints that a browser or a witness has seen, notes. */
  checkpoints: readonly string[]
}

/** A root that the log once signed, and where it was found. */
type KnownRoot = { size: number; root: Uint8Array; from: string }

type HeldReceipt = CheckedReceipt & { username: string | null }

/** Reads everything that is held; a false receipt is A17, a checkpoint without the log's signature A1. */
async function readHeld(held: Held, policy: Policy, crypto: Crypto) {
  const findings: Finding[] = []
  const roots: KnownRoot[] = []
  const receipts: HeldReceipt[] = []
  for (const { bytes, username } of held.receipts) {
    const checked = await checkReceipt(bytes, policy, crypto)
    if ('refused' in checked) findings.push(finding('A17', `A receipt (${checked.refused})`))
    else {
      receipts.push({ ...checked, username: username ?? null })
      roots.push({ ...checked, from: `the receipt of leaf ${checked.index}` })
    }
  }
  for (const note of held.checkpoints) {
    const { head, findings: refused } = await readSignedHead(note, { ...policy, quorum: 0 }, crypto)
    findings.push(...refused)
    if (head) roots.push({ ...head, from: 'a checkpoint that was seen' })
  }
  return { findings, roots, receipts }
}

/** Two roots of one size among things that are held: nobody's answer is needed for that (A4). */
function judgePairs(roots: readonly KnownRoot[]): Finding[] {
  return roots.flatMap((later, at) =>
    roots
      .slice(0, at)
      .filter((earlier) => earlier.size === later.size && !sameBytes(earlier.root, later.root))
      .map((earlier) =>
        finding(
          'A4',
          `The log signed two histories of ${later.size} leaves (${earlier.from}, ${later.from})`,
        ),
      ),
  )
}

/** Judges things that are held beside each other, without a network (A1, A4, A17). */
export async function judgeHeld(held: Held, policy: Policy, crypto: Crypto): Promise<Finding[]> {
  const { findings, roots } = await readHeld(held, policy, crypto)
  return [...findings, ...judgePairs(roots)]
}

/** Holds a log against things from outside (A1, A3 to A5, and A17 to A23). */
export async function auditHeld(
  held: Held,
  source: RecordSource,
  policy: Policy,
  crypto: Crypto,
): Promise<Finding[]> {
  const { findings: found, roots, receipts } = await readHeld(held, policy, crypto)
  const { head, findings: ofHead } = await readSignedHead(await source.checkpoint(), policy, crypto)
  found.push(...judgePairs(roots), ...ofHead)
  if (!head) return found
  for (const known of roots) {
    if (known.size > head.size)
      found.push(finding('A3', `The log has ${head.size} leaves, and ${known.from} says ${known.size}`))
    else if (known.size === head.size) found.push(...judgePairs([known, { ...head, from: 'the log now' }]))
    else if (
      !isContinuation(crypto.sha256, known, head, (await source.consistency(known.size, head.size)) ?? [])
    )
      found.push(finding('A5', `The log of ${head.size} leaves, beside ${known.from}`))
  }
  for (const receipt of receipts) found.push(...(await judgeReceipt(receipt, source, head, policy, crypto)))
  return found
}

async function judgeReceipt(
  receipt: HeldReceipt,
  source: RecordSource,
  head: { size: number; root: Uint8Array },
  policy: Policy,
  crypto: Crypto,
): Promise<Finding[]> {
  const { index, leaf, text, username } = receipt
  const where = { index, ...(leaf.seq > 0 ? { record: leaf.record } : {}) }
  const found: Finding[] = []
  const path = index < head.size ? await source.inclusion(index, head.size) : null
  const place = { leaf: leafHash(crypto.sha256, writeLeaf(leaf)), index, size: head.size, path: path ?? [] }
  const isAtPlace = sameBytes(rootOfInclusion(crypto.sha256, place) ?? new Uint8Array(), head.root)
  if (!isAtPlace) found.push(finding('A18', `Leaf ${index} of ${head.size}`, where))
  const shown = await source.opening(index)
  if (typeof shown === 'object') found.push(...judgeShown(text, shown.text, where))
  const trader = username === null ? null : await source.trader(username)
  const isGone = shown === 'erased' || (username !== null && trader?.record !== toHex(leaf.record))
  const name = username ?? 'this trader'
  if (isGone) {
    const erasedAt = await findErasure(source, head, leaf.record, policy, crypto)
    if (erasedAt === null)
      found.push(finding('A20', `Nothing says that the record of ${name} was erased`, where))
    else if (trader && !(await isAnothersSince(source, head.size, trader.leaves, erasedAt)))
      found.push(
        finding('A20', `The record of ${name} was erased, and the name goes on under another`, where),
      )
  } else if (trader && !(await isListed(trader.leaves, source, receipt, isAtPlace || shown === 'sealed')))
    found.push(finding('A21', `Leaf ${index} of ${name}`, where))
  return found
}

/** Whether the trader's page has the leaf; where another one is in its place, any of the page's leaves may hold the text. */
async function isListed(
  leaves: readonly number[],
  source: RecordSource,
  { index, text }: HeldReceipt,
  isOwnPlace: boolean,
): Promise<boolean> {
  if (isOwnPlace) return leaves.includes(index)
  for (const listed of leaves) {
    const shown = await source.opening(listed)
    if (typeof shown === 'object' && shown.text === text) return true
  }
  return false
}

/** Compares the mail's text with the site's (A19, A22, A23). */
function judgeShown(mine: string, shown: string, where: { index: number; record?: Uint8Array }): Finding[] {
  if (mine === shown) return []
  const found = [finding('A19', `The mail says ${mine}, the site ${shown}`, where)]
  const [ofMail, ofSite] = [factsOf(mine), factsOf(shown)]
  if (ofMail.price !== ofSite.price)
    found.push(finding('A22', `The mail says ${ofMail.price}, the site ${ofSite.price}`, where))
  if (ofMail.quotedAt !== ofSite.quotedAt)
    found.push(finding('A23', `The mail says ${ofMail.quotedAt}, the site ${ofSite.quotedAt}`, where))
  return found
}

function factsOf(text: string): { price: string | null; quotedAt: string | null } {
  const entry = readEntryText(text)
  return {
    price: entry && 'price' in entry ? entry.price : null,
    quotedAt: entry && 'quotedAt' in entry ? entry.quotedAt : null,
  }
}
