import { writeCheckpoint } from '@tradepost/record/checkpoint'
import { LEAF_FLAGS } from '@tradepost/record/leaf'
import { type SignatureLine, writeNote } from '@tradepost/record/note'
import {
  type CheckedReceipt,
  checkReceipt,
  type Policy,
  type Receipt,
  type RefusedReceipt,
  readReceipt,
} from '@tradepost/record/receipt'
import { type SignedHead, TOOLS } from '../lib/record/known-keys.ts'
import { knowsEd25519 } from '../lib/record/web-signatures.ts'

/** The answer about one receipt. */
export type Judged =
  | { verdict: 'true' | 'imported'; checked: CheckedReceipt; receipt: Receipt; head: SignedHead }
  | { verdict: Undecided | RefusedReceipt }

type Undecided =
  /** This installation has no record yet, so no key. */
  | 'no_keys'
  /** The browser cannot check signatures of this kind. */
  | 'no_ed25519'
  /** None of the keys that this page knows is named. */
  | 'unknown_signer'

/** Checks a receipt, without a network. @param policy null where there is no record yet */
export async function judge(bytes: Uint8Array | null, policy: Policy | null): Promise<Judged> {
  const receipt = bytes && readReceipt(bytes)
  if (!bytes || !receipt) return { verdict: 'unreadable' }
  if (policy === null) return { verdict: 'no_keys' }
  if (!(await knowsEd25519())) return { verdict: 'no_ed25519' }
  const checked = await checkReceipt(bytes, policy, TOOLS)
  if (!('refused' in checked)) {
    const isImported = (checked.leaf.flags & LEAF_FLAGS.imported) !== 0
    const head = headOf(checked, receipt, policy)
    return { verdict: isImported ? 'imported' : 'true', checked, receipt, head }
  }
  const isKnown = signaturesOf(receipt, policy).length > 0
  return { verdict: checked.refused === 'not_signed' && !isKnown ? 'unknown_signer' : checked.refused }
}

/** The signatures of keys that are known, with their names. */
export function signaturesOf({ signatures }: Receipt, { logKeys, witnesses }: Policy): SignatureLine[] {
  const keys = [...logKeys, ...witnesses]
  return signatures.flatMap((line) => {
    const name = keys.find(({ keyId }) => keyId === line.keyId)?.name
    return name === undefined ? [] : [{ ...line, name }]
  })
}

/** The checkpoint that a receipt holds: its signatures, over the root that its leaf leads to. */
function headOf(
  { root, signedAt, size, witnesses }: CheckedReceipt,
  receipt: Receipt,
  policy: Policy,
): SignedHead {
  const checkpoint = { origin: policy.origin, size, root }
  const note = writeNote({
    text: writeCheckpoint(checkpoint),
    signatures: signaturesOf(receipt, policy),
  })
  return { ...checkpoint, note, signedAt, witnesses }
}
