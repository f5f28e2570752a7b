import type { Person } from './two-people.ts'
import type { World } from './two-people-ask.ts'

type Row = { table: string; row: Record<string, unknown> }

/** Every row of the database but those that count requests, which refusals do too. */
async function readRows({ testApp }: World): Promise<Row[]> {
  const { rows: tables } = await testApp.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'public' and tablename not in ('migrations', 'provider_calls', 'rate_limits')
     order by 1`,
  )
  const parts = tables.map(
    ({ name }) => `select '${name.replace('public.', '')}' as table, to_jsonb(t) as row from ${name} t`,
  )
  const { rows } = await testApp.pool.query<Row>(parts.join(' union all '))
  return rows
}

/**
 * Rows that name a person, or something that is named with them: a session, a subscription, a device. An open checkout of somebody who
 * would follow them is that person's.
 */
function rowsOf(all: Row[], { email, userId }: Person): Row[] {
  const rows = all.filter(
    ({ row, table }) => table !== 'checkout_sessions' || row.state !== 'open' || row.subscriber_id === userId,
  )
  const naming = (names: string[]) => {
    const pattern = new RegExp(names.map((name) => name.replaceAll('.', '\\.')).join('|'))
    return rows.filter(({ row }) => pattern.test(JSON.stringify(row)))
  }
  const ids = naming([userId, email]).map(({ row }) => row.id)
  return naming([userId, email, ...ids.filter((id) => typeof id === 'string')])
}

/** A person's rows as text, by table. */
export async function lookAtRows(world: World, person: Person): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const { row, table } of rowsOf(await readRows(world), person)) {
    found[table] = [...(found[table] ?? []), JSON.stringify(row)].sort()
  }
  return found
}

/** The table and how many of its rows are other ones, unless it is one; nothing where all are the same. */
export function changeOf(table: string, before: string[] = [], after: string[] = []): string[] {
  const gone = before.filter((row) => !after.includes(row)).length
  const made = after.filter((row) => !before.includes(row)).length
  const count = Math.max(gone, made)
  if (count === 0) return []
  return [count === 1 ? table : `${table} ${count}`]
}

/** Texts of a row, by column; those of a column that holds JSON by its fields. */
function textsOf(name: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[name, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    textsOf(Array.isArray(value) ? name : `${name}.${key}`, part),
  )
}

/** Neither instants nor bytes, which no answer contains, nor texts that are too short to be anybody's. */
const isName = (text: string) => text.length >= 5 && !/^(\d{4}-\d\d-\d\d|\\x)/.test(text)

/** The texts that a person's rows hold and no other row does, by the column that has it first and a number. */
async function ownTexts(world: World, person: Person): Promise<Map<string, string>> {
  const rows = await readRows(world)
  const own = rowsOf(rows, person)
  const others = JSON.stringify(rows.filter((row) => !own.includes(row)))
  const found = new Map<string, string>()
  const seen = new Set<string>()
  const texts = own.flatMap(({ row, table }) => textsOf(table, row))
  for (const [column, text] of texts) {
    if (!isName(text) || seen.has(text) || others.includes(JSON.stringify(text).slice(1, -1))) continue
    seen.add(text)
    const nth = [...found.keys()].filter((name) => name.startsWith(`${column} `)).length
    found.set(`${column} ${nth + 1}`, text)
  }
  return found
}

/** The secrets that a person holds and no row does, by their kind. Secrets that count down by tries are called codes. */
export function ownSecrets(person: Person): Map<string, string> {
  const { device, factor, mail, session } = person
  return new Map([
    ['username', person.username],
    ['user id', person.userId],
    ['address', person.email],
    ['open ticker', person.opened],
    ['identity', session.user.identities[0]?.identity_id ?? ''],
    ['factor', factor.id],
    ['name of the factor', `phone of ${person.username}`],
    ['nickname', `Nickname ${person.username}`],
    ['feedback', `The words of ${person.username} for the operator.`],
    ['device', device.id],
    ['address of the browser', person.browser.endpoint],
    ['unsubscribe link', person.unsubscribeToken],
    ['unsubscribe link of a follower', person.followerToken],
    ['access token', session.access_token],
    ['refresh token', session.refresh_token],
    ['proof of a known device', person.knownDevice],
    ['secret of the factor', factor.secret],
    ['challenge', person.challengeId],
    ['link of the mail', mail.tokenHash],
    ['PKCE code', person.authCode],
    ['PKCE verifier', person.verifier],
    ['undo link', person.undoToken],
    ['export link', person.exportToken],
    ['undo link of the address', person.emailUndoToken],
    ['device token', device.token],
    ['key of the browser', person.browser.keys.p256dh],
    ['secret of the browser', person.browser.keys.auth],
    ['price key', person.previewKey],
    ['what is unread', person.seen],
    ['place in the feed', person.resume],
    ['place in Activity', person.activityCursor],
    ['place among closed positions', person.closedCursor],
    ['own item of Activity', person.ownItem],
    ['item of Activity', person.items[0] ?? ''],
    ['recovery code', person.recoveryCode],
    ['mailed code', mail.code],
    ['nonce code', person.nonce ?? ''],
    ['undo code', person.undoCode ?? ''],
  ])
}

/** The person whose values are sent, and the person who sends them. */
export type Two = {
  whose: Person
  sender: Person
  values: Map<string, string>
  secrets: [of: string, text: string][]
}
/** Values that are tried of one column. */
const TRIED_COUNT = 2

export async function readValues(world: World, whose: Person, sender: Person): Promise<Two> {
  const named = ownSecrets(whose)
  const texts = await ownTexts(world, whose)
  const fresh = [...texts].filter(([, text]) => ![...named.values()].includes(text))
  const tried = fresh.filter(([of]) => Number(of.split(' ').at(-1)) <= TRIED_COUNT)
  const everybodys = [whose.username, whose.closedId, ...ownSecrets(sender).values()]
  const secrets = [...named, ...fresh].filter(
    ([, text]) => !everybodys.includes(text) && !/^\d{6}$/.test(text),
  )
  return { whose, sender, values: new Map([...named, ...tried]), secrets }
}

/** Of the other person, what an answer holds without having been sent it. */
export function notifiedBy({ text }: { text: string }, secrets: Two['secrets'], sent: string): string[] {
  return secrets.filter(([, secret]) => text.includes(secret) && !sent.includes(secret)).map(([of]) => of)
}
