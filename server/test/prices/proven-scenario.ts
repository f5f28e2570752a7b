import type { HoldLength } from '@tradepost/contract/hold-length'
import { publicAt } from '@tradepost/contract/kept-plan'
import { settle } from '../../src/positions/publish/settle-closes.ts'
import { countUnsettled } from '../../src/positions/record/stats.queries.ts'
import { scoreAllTraders } from '../../src/proven/score-traders.ts'
import type { TestApp } from '../build-test-app.ts'

/** Traders without the way through the API. @returns their ids, those of `trader1`, `trader2` and so on */
export async function insertTraders(testApp: TestApp, count: number): Promise<string[]> {
  const { rows } = await testApp.pool.query<{ id: string }>(
    `with made as (
       insert into users (id, email, created_at, updated_at)
       select gen_random_uuid(), 'p' || n || '@example.com', $2, $2 from generate_series(1, $1) n returning id, email
     ), account as (
       insert into accounts (user_id, username, username_set_at, created_at)
       select id, 'trader' || substring(email from '\\d+'), $2, $2 from made
       on conflict (user_id) do update set username = excluded.username, username_set_at = excluded.username_set_at
     ), stats as (
       insert into trader_stats (trader_id) select id from made
     ), sequence as (
       insert into traders (trader_id, created_at) select id, $2 from made
     )
     select id from made order by substring(email from '\\d+')::int`,
    [count, testApp.clock.now()],
  )
  return rows.map(({ id }) => id)
}

export type GivenPosition = {
  traderId: string
  symbol: string
  openedAt: string
  openPrice: number
  /** A hold length. */
  holdLength?: string
  closedAt?: string
  closePrice?: number
  /** Closed at a price at which nobody could trade any more. */
  unsettled?: boolean
  /** When it got its price, at a trade. */
  settledAt?: string
}

/** Positions, and what the statistics count of them. */
export async function insertPositions(testApp: TestApp, positions: readonly GivenPosition[]): Promise<void> {
  await testApp.pool.query(
    `with given as (
       select * from json_to_recordset($1) given ("traderId" uuid, symbol text, "openedAt" timestamptz, "openPrice" numeric,
         "holdLength" hold_length, "closedAt" timestamptz, "closePrice" numeric, unsettled boolean, "settledAt" timestamptz, "publicAt" timestamptz)
     ), opened as (
       insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
         closed_at, close_price, close_notes, close_preview_id, percentage_gain, unsettled,
         settled_at, settled_by, public_at)
       select "traderId", gen_random_uuid(), symbol, "holdLength", "openPrice", 'ten or more',
         "openedAt", gen_random_uuid(), "closedAt", "closePrice", case when "closedAt" is not null then 'ten or more' end,
         case when "closedAt" is not null then gen_random_uuid() end, 100 * ("closePrice" / "openPrice" - 1), coalesce(unsettled, false),
         "settledAt", case when "settledAt" is not null then 'trade' end, "publicAt"
       from given
     )
     update trader_stats set open_count = open_count + opening, closed_count = closed_count + closing, gain_sum = gain_sum + gain,
       unsettled_count = unsettled_count + waiting
     from (select "traderId", count(*) filter (where "closedAt" is null) as opening, count("closedAt") as closing,
         count(*) filter (where unsettled) as waiting,
         coalesce(sum(100 * ("closePrice" / "openPrice" - 1)) filter (where unsettled is not true), 0) as gain
         from given group by 1) counted
     where trader_id = counted."traderId"`,
    [JSON.stringify(positions.map(withPlan))],
  )
}

function withPlan(position: GivenPosition) {
  const holdLength = (position.holdLength ?? 'one_to_three_weeks') as HoldLength
  return {
    ...position,
    holdLength,
    publicAt: publicAt({ openedAt: new Date(position.openedAt), holdLength }),
  }
}

/** Closes an active position without the way through the API. */
export async function closeActive(
  testApp: TestApp,
  close: { traderId: string; symbol: string; at: string; price: number; unsettled?: boolean },
): Promise<void> {
  const { unsettled = false } = close
  await testApp.pool.query(
    `update positions set closed_at = $3, close_price = $4, close_notes = 'ten or more', close_preview_id = open_preview_id,
       percentage_gain = 100 * ($4::numeric / open_price - 1), unsettled = $5
     where trader_id = $1 and symbol = $2 and closed_at is null`,
    [close.traderId, close.symbol, close.at, close.price, unsettled],
  )
  if (unsettled) await countUnsettled(testApp.db, close.traderId)
}

/** Settles a trader's unsettled closes of a symbol as the product does, at a trade. @returns how many there were */
export async function settleClosesOf(
  testApp: TestApp,
  {
    price,
    symbol,
    tradedAt,
    traderId,
  }: { traderId: string; symbol: string; tradedAt: string; price: number },
): Promise<number> {
  const { rows } = await testApp.pool.query<{ id: string }>(
    'select id from positions where trader_id = $1 and symbol = $2 and unsettled and closed_at < $3',
    [traderId, symbol, tradedAt],
  )
  const trade = { price: price.toFixed(6), at: new Date(tradedAt), by: 'trade' as const }
  for (const { id } of rows) await settle(testApp.db, { traderId, id }, trade, testApp.clock.now())
  return rows.length
}

/** `sharesOf`: the day in whose shares it counts, of its own day unless given. */
export type GivenClose = readonly [symbol: string, day: string, close: number, sharesOf?: string]

/** Closes by symbol and day, as a provider answered them on the test's day. */
export async function insertCloses(testApp: TestApp, closes: readonly GivenClose[]): Promise<void> {
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late, known_at, shares_of)
     select symbol, day::date, close::numeric, false, $2, shares_of
     from json_to_recordset($1) given (symbol text, day text, close text, shares_of date)`,
    [
      JSON.stringify(
        closes.map(([symbol, day, close, shares_of]) => ({ symbol, day, close: String(close), shares_of })),
      ),
      testApp.clock.now(),
    ],
  )
}

/** The night's run at an instant. */
export function scoreAt(testApp: TestApp, instant: string): ReturnType<typeof scoreAllTraders> {
  testApp.clock.set(new Date(instant))
  return scoreAllTraders({ db: testApp.db, indexSymbol: 'SPY' }, testApp.clock.now())
}

/** A trader's days as `2026-03-03 1 2.0000 1.0000`: positions, return, excess, in percent, or `none`. */
export async function daysOf(testApp: TestApp, traderId: string): Promise<string[]> {
  const { rows } = await testApp.pool.query<{ row: string }>(
    `select concat_ws(' ', day, positions, coalesce(round(day_return, 4)::text, 'none'), coalesce(round(excess, 4)::text, 'none')) as row
     from trader_days where trader_id = $1 order by day`,
    [traderId],
  )
  return rows.map(({ row }) => row)
}

/** Has every later transaction of a night fail once so many pages of its days are committed, as if its process were killed. */
export async function stopNightsAfter(testApp: TestApp, pages: number): Promise<void> {
  await testApp.pool.query(`
    create sequence pages_done;
    create function stop_night() returns trigger language plpgsql as $$
    begin
      if nextval('pages_done') > ${pages} then raise exception 'killed'; end if;
      return new;
    end $$;
    create trigger stop_night before insert on day_steps for each row execute function stop_night()`)
}

export async function letNightsRun(testApp: TestApp): Promise<void> {
  await testApp.pool.query(
    'drop trigger stop_night on day_steps; drop function stop_night(); drop sequence pages_done',
  )
}
