import type { TaxLiable } from '@tradepost/contract/tax'
import {
  type DrawnKind,
  type MailDrawn,
  type MailFacts,
  type MailKind,
  mails,
  type WrittenMail,
} from '@tradepost/emails/render'
import * as z from 'zod'
import type { Queryable } from '../../platform/database/queryable.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import { isWritableAddress } from '../smtp/mail-address.ts'
import { isMailKind, isWithheldFrom } from './categories.ts'
import type { LeasedMail } from './leases.queries.ts'
import { findReaders, type Reader } from './outbox.queries.ts'

/** A mail of a kind as its `prepare` gets it. @property address of its reader; null where `prepare` finds it out, as `userId` then is */
type Unprepared<Kind extends DrawnKind> = {
  id: string
  userId: string | null
  facts: MailFacts<Kind>
  address: string | null
}

/** The result of `prepare` for a mail. @property address its recipient when its row names no reader */
export type Prepared<Kind extends DrawnKind> = { drawn: MailDrawn<Kind>; address?: string }

/**
 * Makes the content that a kind of mail has at sending alone, such as a code, for several at once: the statements are as many whatever
 * their number.
 * @returns in the same order; null for a mail that has become unneeded
 */
export type Prepare<Kind extends DrawnKind> = (
  mails: Unprepared<Kind>[],
  now: Date,
) => Promise<(Prepared<Kind> | null)[]>

/** The relation of a reader to the trader whom their mail names. */
type Following = { userId: string; trader: string }

/** Makes the links by which readers leave (rule G-126). @returns in the same order; null where nothing is left to leave */
export type FindLeaveUrls = (of: Following[], now: Date) => Promise<(string | null)[]>

export type PrepareDeps = {
  db: Queryable
  log: Log
  /** Public address of the product. */
  origin: string
  /** Owes the tax within prices; null where none is computed. */
  taxLiable: TaxLiable | null
  /** The recipient of the operator's mails; null for nobody. */
  operatorEmail: string | null
  prepare: { [Kind in DrawnKind]: Prepare<Kind> }
  findLeaveUrls: FindLeaveUrls
}

/** A mail in the state in which it can be sent, or why it cannot. */
export type Ready =
  | { state: 'ready'; address: string; written: WrittenMail }
  | { state: 'unneeded' }
  /** The address cannot be written down. */
  | { state: 'unwritable' }
  /** Another try may help. */
  | { state: 'fault'; fault: string }

/**
 * Finds readers, draws secrets and writes the words of mails that were leased together. A fault of one kind does not concern
 * the others.
 * @returns by the mail's id
 */
export async function prepareMails(
  deps: PrepareDeps,
  leased: LeasedMail[],
  now: Date,
): Promise<Map<string, Ready>> {
  const userIds = leased.flatMap(({ userId }) => userId ?? [])
  const readers = new Map<string, Reader>()
  if (userIds.length > 0) {
    for (const reader of await findReaders(deps.db, userIds)) readers.set(reader.userId, reader)
  }
  const ready = new Map<string, Ready>()
  for (const [kind, group] of Map.groupBy(leased, (mail) => mail.kind)) {
    const made = await prepareKind(deps, kind, { group, readers }, now).catch((error: unknown) => {
      deps.log.error({ kind, reason: reasonOf(error) }, 'mails could not be prepared')
      return faultOf(group, 'it could not be prepared')
    })
    for (const [id, one] of made) ready.set(id, one)
  }
  return ready
}

function faultOf(group: LeasedMail[], fault: string): Map<string, Ready> {
  return new Map(group.map(({ id }) => [id, { state: 'fault', fault }]))
}

async function prepareKind(
  deps: PrepareDeps,
  kind: string,
  { group, readers }: { group: LeasedMail[]; readers: Map<string, Reader> },
  now: Date,
): Promise<Map<string, Ready>> {
  // A newer version queued it, and its worker will send it.
  if (!isMailKind(kind)) return faultOf(group, 'its kind is unknown to this version')
  const addressed = group.flatMap((mail) => {
    const address = addressOf(deps, kind, mail.userId === null ? null : readers.get(mail.userId))
    return address === undefined ? [] : [{ id: mail.id, userId: mail.userId, facts: mail.facts, address }]
  })
  const drawn = isDrawn(kind) ? await draw(deps, kind, addressed, now) : null
  const leaveUrls = mails[kind].leaves ? await deps.findLeaveUrls(addressed.map(toFollowing), now) : []
  const ready = new Map<string, Ready>(group.map(({ id }) => [id, { state: 'unneeded' }]))
  addressed.forEach((mail, index) => {
    const made = drawn ? drawn[index] : { drawn: {} }
    if (made)
      ready.set(mail.id, write(deps, kind, mail, { ...made, leaveUrl: leaveUrls[index] ?? undefined }))
  })
  return ready
}

const namesTrader = z.object({ trader: z.string() })

function toFollowing({ facts, userId }: Addressed): Following {
  return { userId: userId ?? '', trader: namesTrader.safeParse(facts).data?.trader ?? '' }
}

function isDrawn(kind: MailKind): kind is DrawnKind {
  return mails[kind].drawn !== null
}

/**
 * @param reader null where the row names none, undefined when they have gone
 * @returns undefined when nobody may be mailed, null when `prepare` knows the address
 */
function addressOf(
  { operatorEmail }: PrepareDeps,
  kind: MailKind,
  reader: Reader | null | undefined,
): string | null | undefined {
  if (mails[kind].category === 'operator') return operatorEmail ?? undefined
  if (!reader) return reader
  const withheld =
    (reader.closed && !mails[kind].afterClosing) ||
    (reader.suspended && isWithheldFrom(kind, 'suspended')) ||
    (reader.suppressed && isWithheldFrom(kind, 'suppressed'))
  return withheld ? undefined : reader.address
}

type Addressed = { id: string; userId: string | null; facts: unknown; address: string | null }

/** The registry names the facts of a kind, and the `prepare` of the same name makes its content of them. */
function draw<Kind extends DrawnKind>(
  deps: PrepareDeps,
  kind: Kind,
  addressed: Addressed[],
  now: Date,
): Promise<(Prepared<Kind> | null)[]> {
  const read = addressed.map((mail) => ({
    ...mail,
    facts: mails[kind].facts.parse(mail.facts) as MailFacts<Kind>,
  }))
  return deps.prepare[kind](read, now)
}

function write(
  { log, origin, taxLiable }: PrepareDeps,
  kind: MailKind,
  mail: Addressed,
  made: { drawn: object; address?: string; leaveUrl?: string | undefined },
): Ready {
  const address = mail.address ?? made.address
  if (address === undefined) return { state: 'unneeded' }
  if (!isWritableAddress(address)) return { state: 'unwritable' }
  try {
    const { facts, write: writeWords } = mails[kind] as AnyMail
    return {
      state: 'ready',
      address,
      written: writeWords({
        ...facts.parse(mail.facts),
        origin,
        taxLiable: taxLiable ?? undefined,
        leaveUrl: made.leaveUrl,
        ...made.drawn,
      }),
    }
  } catch (error) {
    log.error({ mail: mail.id, kind, reason: reasonOf(error) }, 'a mail could not be written')
    return { state: 'fault', fault: 'it could not be written' }
  }
}

/** A mail of the registry without the tie between its facts and its words, which `facts.parse` checks instead. */
type AnyMail = { facts: { parse(facts: unknown): object }; write(props: object): WrittenMail }
