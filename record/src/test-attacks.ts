import { auditLog } from './audit.ts'
import { readCheckpoint } from './checkpoint.ts'
import type { Finding } from './findings.ts'
import { auditHeld } from './held.ts'
import { readNote, writeNote } from './note.ts'
import type { Policy } from './receipt.ts'
import type { RecordSource } from './record-source.ts'
import { type Act, longHistory, TRADERS } from './test-acts.ts'
import { crypto, ORIGIN, POLICY, sourceOf, WITNESS, type World, worldOf } from './test-world.ts'
import { addCheckpoint, writeAddCheckpoint } from './witness.ts'

/**
 * The attacks of somebody who holds the database, and often the key. Five look for each: P the public log alone, W a witness that signed
 * the log before, B a browser that saw the newest checkpoint, F the mails of the trader (alice), O those of another one (bob).
 */
export const acts = longHistory(240)
export const honest = worldOf(acts)
export const SIZE = acts.length
/** The last three acts were signed together: their mails hold the newest root. */
const mailsOf = (world: World, trader: string) =>
  world.acts.flatMap((act, index) =>
    act.trader === trader
      ? [{ bytes: world.receipt(index, index < SIZE - 3 ? index + 1 : SIZE), username: trader }]
      : [],
  )
const mails = { alice: mailsOf(honest, 'alice'), bob: mailsOf(honest, 'bob') }

/** A witness gets the newest checkpoint, and its answer is seen by somebody who asks for one witness. */
async function witnessed(source: RecordSource, policy: Policy): Promise<Finding[]> {
  const checkpoint = await source.checkpoint()
  const { text = '', signatures = [] } = readNote(checkpoint) ?? {}
  const size = readCheckpoint(text)?.size ?? 0
  const proof = (size < SIZE ? null : await source.consistency(SIZE, size)) ?? []
  const { body } = await addCheckpoint(
    writeAddCheckpoint({ old: SIZE, proof, checkpoint }),
    {
      logs: [{ origin: ORIGIN, keys: POLICY.logKeys }],
      key: WITNESS,
      kept: () => honest.note(),
      at: 1_800_000_000,
    },
    crypto,
  )
  const cosigned = readNote(`x\n\n${body}`)?.signatures ?? []
  const note = writeNote({ text, signatures: [...signatures, ...cosigned] })
  const { findings } = await auditLog(
    { ...source, checkpoint: async () => note },
    { ...policy, quorum: 1 },
    crypto,
  )
  return findings.filter(({ check }) => check === 'A2')
}

/** @param policy the keys that the site shows */
export async function found(source: RecordSource, policy: Policy = POLICY) {
  const held = (receipts: typeof mails.alice, checkpoints: string[] = []) =>
    auditHeld({ receipts, checkpoints }, source, policy, crypto)
  const checks = (findings: Finding[]) =>
    [...new Set(findings.map(({ check }) => check))].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  return {
    P: checks((await auditLog(source, policy, crypto, TRADERS)).findings),
    W: checks(await witnessed(source, policy)),
    B: checks(await held([], [honest.note()])),
    F: checks(await held(mails.alice)),
    O: checks(await held(mails.bob)),
  }
}

/** A site that answers otherwise than its log. */
export const site = (changed: Partial<Pick<World, 'openings' | 'traders'>>) =>
  sourceOf({ ...honest, note: honest.note(), ...changed })
export const CLEAN = { P: [], W: [], B: [], F: [], O: [] }

/** The index of an act of alice in the middle of the history. */
function indexOf(wanted: (act: Act, seq: number) => boolean, from = 60): number {
  const seqs = new Map<number, number>()
  let seq = 0
  for (const [index, act] of acts.entries()) if (act.trader === 'alice') seqs.set(index, ++seq)
  const index = acts.findIndex((act, at) => at >= from && seqs.has(at) && wanted(act, seqs.get(at) ?? 0))
  if (index < 0) throw new Error('there is no such act')
  return index
}
const hasChange = (seq: number) =>
  acts.some(
    ({ trader, kind, seqOfOpening }) => trader === 'alice' && kind === 'adjusted' && seqOfOpening === seq,
  )
export const closing = indexOf((act) => act.kind === 'closed' && !hasChange(act.seqOfOpening))
export const seqOfOpening = acts[closing]?.seqOfOpening ?? 0
export const opening =
  acts.flatMap(({ trader }, index) => (trader === 'alice' ? [index] : []))[seqOfOpening - 1] ?? 0
export const changedText = (text = '', from: RegExp, to: string) => {
  if (!from.test(text)) throw new Error(`${text} has no ${from}`)
  return text.replace(from, to)
}
export const otherPrice = (text?: string) => changedText(text, /"[\d.]+","USD"/, '"99999","USD"')
