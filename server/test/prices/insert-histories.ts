import type pg from 'pg'
import { newSecret } from '../../src/platform/ids.ts'
import type { Made } from './follow-histories.ts'

const iso = (at: number) => new Date(at).toISOString()

/** Writes what the product would hold of these histories: one statement a table. */
export async function insertHistories(pool: pg.Pool, histories: readonly Made[]): Promise<void> {
  const put = (table: string, rows: readonly object[]) =>
    pool.query(
      `insert into ${table} (${columnsOf(rows)}) select ${columnsOf(rows)} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    )
  const fill = async (table: string, rows: readonly object[]) => {
    if (rows.length > 0) await put(table, rows)
  }
  const ids = histories.flatMap(({ followerIds, traderIds }) => [...traderIds, ...followerIds])
  const stamps = { created_at: iso(0), updated_at: iso(0) }
  await fill(
    'users',
    ids.map((id) => ({ id, email: `${id}@people.example`, ...stamps })),
  )
  const traders = histories.flatMap((made) => made.traderIds.map((id, nth) => ({ id, nth, made })))
  await fill(
    'traders',
    traders.map(({ id, made, nth }) => ({
      trader_id: id,
      last_event_no: made.lastEvent[nth],
      last_mail_no: 99,
      created_at: iso(0),
    })),
  )
  await fill(
    'trader_stats',
    traders.map(({ id, made, nth }) => ({
      trader_id: id,
      open_count: made.positions.filter((one) => one.trader === nth && one.closedAt === null && !one.struck)
        .length,
      closed_count: 0,
      unsettled_count: 0,
      win_count: 0,
      kept_count: 0,
      gain_sum: 0,
      suspended: false,
    })),
  )
  await fill('positions', histories.flatMap(positionsOf))
  await fill(
    'position_events',
    histories.flatMap(({ events, traderIds }) =>
      events.map(({ at, kind, no, positionId, trader }) => ({
        trader_id: traderIds[trader],
        event_no: no,
        position_id: positionId,
        kind,
        created_at: iso(at),
      })),
    ),
  )
  await fill(
    'position_adjustments',
    histories.flatMap(({ splits, traderIds }) =>
      splits.map(({ after, at, before, day, eventNo, newShares, position }) => ({
        trader_id: traderIds[position.trader],
        position_id: position.id,
        reason: 'split',
        effective_on: day,
        nth: 0,
        open_price_before: before.toFixed(),
        open_price_after: after.toFixed(),
        adjusted_at: iso(at),
        event_no: eventNo,
        new_shares: newShares,
        old_shares: 1,
      })),
    ),
  )
  await fill('subscriptions', histories.flatMap(subscriptionsOf))
  await fill(
    'following_prices',
    histories.flatMap(({ followerIds, notes, traderIds }) =>
      notes.map(({ at, follower, positionId, price, symbol, trader }) => ({
        trader_id: traderIds[trader],
        subscriber_id: followerIds[follower],
        position_id: positionId,
        symbol,
        price,
        priced_at: iso(at),
      })),
    ),
  )
  await fill(
    'price_retractions',
    histories.flatMap(({ retractions }) =>
      retractions.map(({ from, price, symbol, to }) => ({
        id: crypto.randomUUID(),
        symbol,
        from_at: iso(from),
        to_at: iso(to),
        price,
        reason: 'A glitch.',
        retracted_at: iso(to),
      })),
    ),
  )
  await fill(
    'symbol_days',
    histories.flatMap(({ closes }) => closes.map((one) => ({ ...one, late: false, known_at: iso(0) }))),
  )
}

const columnsOf = ([row = {}]: readonly object[]) => Object.keys(row).join(', ')

function positionsOf({ positions, traderIds }: Made) {
  return positions.map((position) => {
    const { closePrice, closedAt, id, openPrice, openedAt, settledAt, struck, symbol, trader, unsettled } =
      position
    return {
      trader_id: traderIds[trader],
      id,
      symbol,
      hold_length: 'one_to_three_weeks',
      open_price: openPrice.toFixed(),
      open_notes: 'ten or more',
      opened_at: iso(openedAt),
      open_preview_id: crypto.randomUUID(),
      close_price: closePrice?.toFixed() ?? null,
      close_notes: closePrice ? 'ten or more' : null,
      closed_at: closedAt === null ? null : iso(closedAt),
      close_preview_id: closePrice ? crypto.randomUUID() : null,
      // None of these figures counts here.
      percentage_gain: closePrice ? 0 : null,
      closed_by_operator: false,
      override_used: true,
      unsettled,
      settled_at: settledAt === null ? null : iso(settledAt),
      settled_by: settledAt === null ? null : 'trade',
      struck_at: struck ? iso(openedAt) : null,
      struck_reason: struck ? 'It says nothing.' : null,
    }
  })
}

function subscriptionsOf({ followerIds, subscriptions, traderIds }: Made) {
  return subscriptions.map(({ earlier, follower, from, id, startedAt, status, trader, until }, nth) => ({
    trader_id: traderIds[trader],
    id,
    mail_no: nth + 1,
    subscriber_id: followerIds[follower],
    status,
    entitled_from_event: from,
    entitled_until_event: until,
    earlier_windows: `{${earlier.join(',')}}`,
    unsubscribe_token: newSecret(16),
    price_cents: 1000,
    currency: 'usd',
    started_at: iso(startedAt),
  }))
}
