/** So many people who are refused in the same words, and nobody between them who is not. */
const PEOPLE = 3
/** Domains that are remembered: one that has been quiet for longest is forgotten. */
const DOMAINS = 1000
/** Beside domains, which are never empty. */
const EVERYBODY = ''
/** A server that has taken nothing for so long does not excuse every refusal any more. */
export const EXCUSED_MS = 86_400_000

/** A refusal of one recipient that has been written down, with the data for taking it back. */
export type NotedRefusal = { traderId: string; eventNo: number; mailNo: number; userId: string }

/** @property asTheirs first refusals that have been written down against people */
type Row = { reply: string; since: Date; people: Set<string>; asTheirs: NotedRefusal[] }

/**
 * A mail that was not taken at its first try, with its recipient and the reply; a deferral (4xx) has no status.
 * @property isOld whether others have been answered since, so that it is no evidence about everybody
 */
export type FirstRefusal = {
  refusal: NotedRefusal
  address: string
  reply: { replyCode: number; status: string | null }
  isOld: boolean
}

/** @property since when it began (UTC) @property takenBack the refusals that were counted against people before it was noticed */
type Alike = { since: Date; takenBack: NotedRefusal[] }

/**
 * Finds out whether all recipients, or all at one domain, are refused with one answer: three people in a row. That means a faulty server,
 * and none of these people, whatever the answer is (ADR 0089). First tries alone count: people who do not
 * exist are tried again together.
 */
export type AlikeRefusals = {
  /** @returns null while it may speak of this one person */
  refused(first: FirstRefusal, now: Date): Alike | null
  /** @returns since when people such as this one are refused alike, a day at most; or null */
  since(address: string, now: Date): Date | null
  /** A mail was taken: neither everybody nor everybody at its domain is refused. */
  taken(address: string): void
}

export function makeAlikeRefusals(): AlikeRefusals {
  const rows = new Map<string, Row>()
  return {
    refused(first, now) {
      const scopes = [...(first.isOld ? [] : [EVERYBODY]), domainOf(first.address)]
      const reached = scopes.map((scope) => note(rows, scope, first, now))
      const alike = reached.filter((row) => row.people.size >= PEOPLE)
      const since = earliest(alike, now)
      const takenBack = alike.flatMap((row) => row.asTheirs.splice(0))
      if (since) return { since, takenBack: [...new Set(takenBack)] }
      for (const row of reached) if (row.people.size < PEOPLE) row.asTheirs.push(first.refusal)
      return null
    },
    since(address, now) {
      const known = [rows.get(EVERYBODY), rows.get(domainOf(address))].filter((row) => row !== undefined)
      return earliest(
        known.filter((row) => row.people.size >= PEOPLE),
        now,
      )
    },
    taken(address) {
      if (rows.size === 0) return
      rows.delete(EVERYBODY)
      rows.delete(domainOf(address))
    },
  }
}

/** A different answer begins a new count. */
function note(
  rows: Map<string, Row>,
  scope: string,
  { refusal, reply: latest }: FirstRefusal,
  now: Date,
): Row {
  const reply = `${latest.replyCode} ${latest.status}`
  const before = rows.get(scope)
  const row =
    before?.reply === reply ? before : { reply, since: now, people: new Set<string>(), asTheirs: [] }
  // Three are enough to know.
  if (row.people.size < PEOPLE) row.people.add(refusal.userId)
  rows.delete(scope)
  rows.set(scope, row)
  for (const oldest of rows.keys()) {
    if (rows.size <= DOMAINS) break
    rows.delete(oldest)
  }
  return row
}

function earliest(rows: Row[], now: Date): Date | null {
  const lasting = rows
    .map(({ since }) => since)
    .filter((since) => now.getTime() - since.getTime() < EXCUSED_MS)
  return lasting.reduce<Date | null>((first, since) => (first && first < since ? first : since), null)
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}
