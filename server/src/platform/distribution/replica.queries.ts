import { sql } from 'kysely'
import type { Versioned } from '../cache/read-versions.queries.ts'
import { compiledQuery, type Queryable } from '../database/queryable.ts'

/** `fresh`: no more than ten seconds behind, or nothing is left that it could lack. `complete`: it has all that was seen. */
export type Judgement = { fresh: boolean; complete: boolean }

/**
 * Judges a replica by its own answers. Instants are those of the two servers, not of the product's clock: only the time between a commit
 * there and its arrival here counts. On a primary, both answers are true of everything committed.
 * @param seen numbers of events, by trader @param versions of what else is read
 */
export async function judgeReplica(
  db: Queryable,
  seen: ReadonlyMap<string, number>,
  versions: ReadonlyMap<Versioned, string>,
): Promise<Judgement> {
  const [judgement] = await selectJudgement(db, {
    traderIds: [...seen.keys()],
    eventNos: [...seen.values()],
    names: [...versions.keys()],
    raised: [...versions.values()],
  })
  return judgement ?? { fresh: false, complete: false }
}

type Compared = { traderIds: string[]; eventNos: number[]; names: Versioned[]; raised: string[] }

/** A primary on which nobody writes gives its replica no newer commit: then it counts that all that was received is applied. */
const selectJudgement = compiledQuery(
  (_db, { eventNos, names, raised, traderIds }: Compared) => sql<Judgement>`
    select
      case when pg_is_in_recovery() then
        coalesce(pg_last_xact_replay_timestamp() > clock_timestamp() - interval '10 seconds', false)
          or (pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver))
      else true end as fresh,
      not exists (
        select from unnest(${traderIds}::uuid[], ${eventNos}::bigint[]) seen(trader_id, event_no)
        left join traders on traders.trader_id = seen.trader_id
        where coalesce(traders.last_event_no, 0) < seen.event_no
      ) and not exists (
        select from unnest(${names}::text[], ${raised}::numeric[]) known(name, raised)
        where (select coalesce(sum(raised), 0) from read_versions where name = known.name) < known.raised
      ) as complete`,
)
