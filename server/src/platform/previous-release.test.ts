import { expect, test } from 'vitest'
import { openEarlierDatabase, openTestDatabase } from '../../test/database.ts'
import {
  migrationsSince,
  readPreviousRelease,
  refusedStatements,
  termsOf,
  tightened,
} from '../../test/previous-release.ts'

/**
 * What migrations since the recorded release change that looks narrower than it is, and why that release can live with each:
 * a line as the first test prints it → the reason.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  "new: constraint suppressions_cause_check of suppressions: CHECK ((cause = ANY (ARRAY['refused'::text, 'bounced'::text, 'complained'::text])))":
    'of a new column, which has a default that it takes',
  'new: CREATE UNIQUE INDEX accounts_username ON public.accounts USING btree (lower((username COLLATE "C")))':
    'another look-up of the same names, under the name that it is refused by; in a language in which it is narrower, names were not unique',
  "new: constraint read_versions_name_check of read_versions: CHECK ((name = ANY (ARRAY['leaderboard'::text, 'suspensions'::text])))":
    'takes one name more than before',
  "new: constraint read_versions_name_check of read_versions: CHECK ((name = ANY (ARRAY['leaderboard'::text, 'suspensions'::text, 'days'::text, 'proven'::text])))":
    'takes two names more than before',
  "new: constraint positions_settled_by_check of positions: CHECK ((settled_by = ANY (ARRAY['trade'::text, 'last_price'::text, 'operator'::text])))":
    'of a new column, which it leaves null',
  'new: constraint positions_settled_once of positions: CHECK ((((NOT unsettled) OR ((closed_at IS NOT NULL) AND (settled_at IS NULL))) AND ((settled_at IS NULL) = (settled_by IS NULL)) AND ((settled_at IS NULL) OR (settled_at >= closed_at))))':
    'of new columns, which it leaves as they are; it closes what is open, which is neither unsettled nor settled',
  'new: constraint trader_stats_check of trader_stats: CHECK (((unsettled_count >= 0) AND (unsettled_count <= closed_count)))':
    'of a new column, which it leaves as it is; it counts closed positions up, and again from the same rows',
  "new: constraint position_events_kind_check of position_events: CHECK ((kind = ANY (ARRAY['opened'::text, 'closed'::text, 'settled'::text, 'adjusted'::text])))":
    'takes one kind more than before',
  'new: constraint position_adjustments_pkey of position_adjustments: PRIMARY KEY (trader_id, position_id, reason, effective_on, nth)':
    'takes more than before; the new column has a default, under which it is the same key',
  'new: CREATE UNIQUE INDEX position_adjustments_pkey ON public.position_adjustments USING btree (trader_id, position_id, reason, effective_on, nth)':
    'the index of that key',
  "new: constraint position_adjustments_corrected_check of position_adjustments: CHECK ((corrected = ANY (ARRAY['open'::text, 'close'::text])))":
    'of a new column, which it leaves null',
  "new: constraint position_adjustments_reason_check of position_adjustments: CHECK ((reason = ANY (ARRAY['split'::text, 'delisting'::text, 'price'::text])))":
    'takes one reason more than before',
  "new: constraint position_adjustments_event_whole of position_adjustments: CHECK (((num_nonnulls(event_no, new_shares, old_shares) = ANY (ARRAY[0, 3])) OR ((reason = 'price'::text) AND (event_no IS NOT NULL) AND (num_nonnulls(new_shares, old_shares) = 0))))":
    'takes more than before',
  "new: constraint position_adjustments_corrected_whole of position_adjustments: CHECK ((num_nonnulls(corrected, price_before, price_after, explained) = (4 * ((reason = 'price'::text))::integer)))":
    'of new columns, which it leaves null, and of a reason that it does not write',
  'new: constraint symbols_listed_whole of symbols: CHECK (((NOT listed) OR ((missing_since IS NULL) AND (delisted_at IS NULL))))':
    'of new columns, which it leaves as they are',
  'new: constraint symbol_marks_empty_days_check of symbol_marks: CHECK ((empty_days >= 0))':
    'of a new column, which it leaves at 0',
  'new: constraint positions_struck_reason_check of positions: CHECK (((char_length(struck_reason) >= 1) AND (char_length(struck_reason) <= 500)))':
    'of a new column, which it leaves null',
  'new: constraint positions_struck_whole of positions: CHECK (((struck_at IS NULL) = (struck_reason IS NULL)))':
    'of new columns, which it leaves null',
  "new: constraint position_adjustments_reason_check of position_adjustments: CHECK ((reason = ANY (ARRAY['split'::text, 'delisting'::text, 'price'::text, 'struck'::text])))":
    'takes one reason more than before',
  "new: constraint position_adjustments_event_whole of position_adjustments: CHECK (((num_nonnulls(event_no, new_shares, old_shares) = ANY (ARRAY[0, 3])) OR ((reason = ANY (ARRAY['price'::text, 'struck'::text])) AND (event_no IS NOT NULL) AND (num_nonnulls(new_shares, old_shares) = 0))))":
    'takes more than before',
  "new: constraint position_adjustments_corrected_whole of position_adjustments: CHECK (((num_nonnulls(corrected, price_before, price_after) = (3 * ((reason = 'price'::text))::integer)) AND ((explained IS NOT NULL) = (reason = ANY (ARRAY['price'::text, 'struck'::text])))))":
    'the same for what it writes; of a reason that it does not write it asks for an explanation',
  'new: constraint position_adjustments_symbol_before_check of position_adjustments: CHECK ((symbol_before = upper(symbol_before)))':
    'of a new column, which it leaves null',
  'new: constraint position_adjustments_symbol_after_check of position_adjustments: CHECK ((symbol_after = upper(symbol_after)))':
    'of a new column, which it leaves null',
  "new: constraint position_adjustments_reason_check of position_adjustments: CHECK ((reason = ANY (ARRAY['split'::text, 'delisting'::text, 'price'::text, 'struck'::text, 'renamed'::text])))":
    'takes one reason more than before',
  "new: constraint position_adjustments_event_whole of position_adjustments: CHECK (((num_nonnulls(event_no, new_shares, old_shares) = ANY (ARRAY[0, 3])) OR ((reason = ANY (ARRAY['price'::text, 'struck'::text, 'renamed'::text])) AND (event_no IS NOT NULL) AND (num_nonnulls(new_shares, old_shares) = 0))))":
    'takes more than before',
  "new: constraint position_adjustments_renamed_whole of position_adjustments: CHECK (((num_nonnulls(symbol_before, symbol_after) = (2 * ((reason = 'renamed'::text))::integer)) AND (symbol_before <> symbol_after)))":
    'of new columns, which it leaves null, and of a reason that it does not write',
  'new: constraint push_devices_standing_check of push_devices: CHECK (((standing >= 0) AND (standing <= 3)))':
    'of a new column, which it leaves as it is',
}

test('every migration leaves what the previous release reads and writes', async () => {
  const release = readPreviousRelease()
  await using database = await openEarlierDatabase(`${release.migration}~`)
  const client = await database.pool.connect()
  try {
    expect(await refusedStatements(client, release), release.migration).toEqual([])
    let before = await termsOf(client)
    for (const { name, sql } of migrationsSince(release)) {
      await client.query(sql)
      const after = await termsOf(client)
      const narrower = tightened(before, after).filter((line) => !(line in HARMLESS))
      expect([...narrower, ...(await refusedStatements(client, release))], name).toEqual([])
      before = after
    }
  } finally {
    client.release()
  }
})

const contractions: [sql: string, said: string][] = [
  [
    'alter table accounts add motto text not null',
    'accounts/accounts.queries.ts: no value for public.accounts.motto, of: insert into',
  ],
  [
    'alter table accounts rename username to name',
    'accounts/accounts.queries.ts: column accounts.username does not exist, of: select',
  ],
  [
    'alter table positions drop close_notes',
    'positions/positions.queries.ts: column "close_notes" of relation',
  ],
  [
    'drop index positions_one_active_a_symbol',
    'positions/positions.queries.ts: there is no unique or exclusion constraint matching the ON CONFLICT',
  ],
  ['alter table sessions alter seen_ip set not null', 'no longer: column sessions.seen_ip may be null'],
  ['alter table feedback alter body type varchar(9)', 'no longer: column feedback.body is text'],
  ['alter table users alter email type text collate "C"', 'no longer: column users.email is text'],
  [
    'alter table feedback add constraint feedback_short check (length(body) < 10)',
    'new: constraint feedback_short of feedback: CHECK ((length((body)::text) < 10))',
  ],
  [
    'create unique index feedback_once on feedback (created_at)',
    'new: CREATE UNIQUE INDEX feedback_once ON public.feedback USING btree (created_at)',
  ],
  [
    "alter type hold_length rename value 'less_than_one_week' to 'days'",
    'no longer: type hold_length has the value less_than_one_week',
  ],
]

test('a migration that takes something away is told from one that adds', async () => {
  const { migration, statements } = readPreviousRelease()
  const files = ['accounts/accounts.queries.ts', 'positions/positions.queries.ts']
  const release = {
    migration,
    statements: Object.fromEntries(files.map((file) => [file, statements[file] ?? []])),
  }
  await using database = await openTestDatabase()
  const client = await database.pool.connect()
  try {
    const before = await termsOf(client)
    const faults = async () => [
      ...tightened(before, await termsOf(client)),
      ...(await refusedStatements(client, release)),
    ]
    await client.query(`
      alter table accounts add mood text, add rank int not null default 0, drop constraint accounts_check;
      alter type hold_length add value 'for_ever';
      create table moods (mood text primary key check (mood <> ''));
      alter table feedback drop user_id;
      create index accounts_mood on accounts (mood)`)
    expect(await faults()).toEqual([])
    for (const [sql, said] of contractions) {
      await client.query(sql)
      expect(await faults(), sql).toContainEqual(expect.stringContaining(said))
    }
  } finally {
    client.release()
  }
})
