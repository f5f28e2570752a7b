import { sql } from 'kysely'
import { foldedName } from '../../accounts/folded-name.ts'
import { batchedLookup, compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { Entitlement } from './entitled-events.ts'

/**
 * When somebody was entitled to what a trader publishes; nothing for somebody who never followed them. One statement for all who ask at
 * once.
 * @param username of a legal shape
 */
export async function findEntitlements(
  db: Queryable,
  viewerId: string,
  username: string,
): Promise<readonly Entitlement[]> {
  return (await lookUpEntitlements(db, `${viewerId} ${username.toLowerCase()}`)) ?? []
}

/** By the viewer's id and a name in lower case. */
const lookUpEntitlements = batchedLookup(async (db, asked: string[]) => {
  const pairs = asked.map((pair) => pair.split(' '))
  const rows = await selectEntitlements(db, {
    viewers: pairs.map(([viewerId]) => viewerId ?? ''),
    names: pairs.map(([, name]) => name ?? ''),
  })
  return new Map(rows.map(({ entitlements, nth }) => [asked[nth - 1] ?? '', entitlements]))
})

/** `limit 1` has the database look each name up in the index instead of reading tables that are small today. */
const selectEntitlements = compiledQuery(
  (_db, { names, viewers }: { viewers: string[]; names: string[] }) => sql<{
    nth: number
    entitlements: Entitlement[]
  }>`
    select asked.nth, row.entitlements
    from unnest(${viewers}::uuid[], ${names}::text[]) with ordinality asked(viewer_id, name, nth)
    cross join lateral (
      select user_id from accounts where ${foldedName('username')} = asked.name limit 1
    ) account
    cross join lateral (
      select json_agg(json_build_object('from', entitled_from_event, 'until', entitled_until_event, 'earlier', earlier_windows)
        order by id) as entitlements
      from subscriptions where trader_id = account.user_id and subscriber_id = asked.viewer_id
    ) row
    where row.entitlements is not null`,
)
