import { DatabaseClient } from '../../server/src/platform/database/database-client.ts'
import { fillWorld, personId } from '../reads/world.ts'

export const TRADERS = 2000
const POSITIONS = TRADERS * 100
/** People who publish nothing, each of whom follows as many traders. */
export const FOLLOWERS = 200
const FOLLOWED = 10
/** Only these have followers and a past of events. */
const PUBLISHERS = 200
/** The parts of the product that read each event, as in a running one. */
const READERS = ['mail', 'push', 'statistics']
/** Symbols that the works open, as many a trader as they have rounds for; all of them have names. */
const NEW_SYMBOLS = 100
export const newSymbol = (nth: number) => `N${nth}`
const NOW = new Date('2026-11-21T04:41:00Z')

export const traderId = (nth: number) => personId(1 + (nth % TRADERS))
export const followerId = (nth: number) => personId(TRADERS + 1 + (nth % FOLLOWERS))

/** Fills a fresh database: two thousand traders with a hundred positions each, and people who follow ten of them. */
export async function fillRatioWorld(url: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: url })
  await client.connect()
  const ask = (text: string, values: unknown[] = []) => client.query(text, values)
  const person = (number: string) => `('00000000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`
  try {
    await fillWorld(ask, POSITIONS)
    for (const name of READERS)
      await ask('insert into event_readers (name, registered_at) values ($1, $2) on conflict do nothing', [
        name,
        NOW,
      ])
    await ask(
      `insert into users (id, email, created_at, updated_at)
      select ${person('n')}, 'f' || n || '@example.com', $2, $2 from generate_series(${TRADERS + 1}, ${TRADERS} + $1::int) n`,
      [FOLLOWERS, NOW],
    )
    await ask(
      `insert into position_events (trader_id, event_no, position_id, kind, created_at)
      select ${person('n')}, row_number() over (partition by n order by id), id, 'opened', opened_at
      from generate_series(1, ${PUBLISHERS}) n join (select trader_id, id, opened_at from positions) position
        on position.trader_id = ${person('n')}`,
    )
    await ask(
      `update traders set last_event_no = 100, last_mail_no = ${FOLLOWERS} where trader_id <= ${person(String(PUBLISHERS))}`,
    )
    await follow(ask, person)
    await ask(
      `insert into symbols (symbol, name) select 'N' || n, 'The company of N' || n from generate_series(0, $1::int - 1) n`,
      [NEW_SYMBOLS],
    )
    await ask('vacuum analyze')
  } finally {
    await client.end()
  }
}

async function follow(
  ask: (text: string, values?: unknown[]) => Promise<unknown>,
  person: (number: string) => string,
): Promise<void> {
  await ask(
    `insert into subscriptions (trader_id, id, mail_no, subscriber_id, status, entitled_from_event, unsubscribe_token,
      price_cents, currency, started_at)
    select ${person(`1 + (n * 7 + nth * 13) % ${PUBLISHERS}`)}, gen_random_uuid(), n, ${person(`${TRADERS} + n`)}, 'active', 0,
      'token-' || n || '-' || nth, 1000, 'usd', $1
    from generate_series(1, ${FOLLOWERS}) n, generate_series(1, ${FOLLOWED}) nth`,
    [NOW],
  )
  await ask(`insert into unsubscribe_tokens (token, trader_id, subscription_id)
    select unsubscribe_token, trader_id, id from subscriptions`)
}
