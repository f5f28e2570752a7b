import { expect, test } from 'vitest'
import { openEarlierDatabase, openTestDatabase } from '../../../test/database/database.ts'
import {
  migrationsSince,
  readPreviousRelease,
  refusedStatements,
  termsOf,
  tightened,
} from '../../../test/database/previous-release.ts'

/**
 * Changes of migrations since the recorded release that look narrower than they are, and why that release can live with each:
 * a line as the first test prints it → the reason.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  'new: constraint accounts_public_page_has_a_name of accounts: CHECK (((public_page_since IS NULL) OR (username IS NOT NULL)))':
    'that release leaves the new column null',
  'new: constraint accounts_about_has_a_name of accounts: CHECK (((about IS NULL) OR ((username IS NOT NULL) AND ((char_length(about) >= 1) AND (char_length(about) <= 160)))))':
    'that release leaves the new column null',
  'new: constraint users_erased_without_address of users: CHECK (((email IS NULL) = (erased_at IS NOT NULL)))':
    'that release erases nobody',
  'new: constraint users_erased_after_closing of users: CHECK (((erased_at IS NULL) OR (closed_at IS NOT NULL)))':
    'that release erases nobody',
  'new: constraint positions_trader of positions: FOREIGN KEY (trader_id) REFERENCES users(id)':
    'that release deletes no user',
  'new: constraint trader_days_trader of trader_days: FOREIGN KEY (trader_id) REFERENCES users(id)':
    'that release deletes no user',
  'new: constraint payout_accounts_user_id_fkey of payout_accounts: FOREIGN KEY (user_id) REFERENCES users(id)':
    'that release deletes no user',
  'new: constraint subscriptions_trader of subscriptions: FOREIGN KEY (trader_id) REFERENCES users(id)':
    'that release deletes no user',
  'new: constraint subscriptions_subscriber of subscriptions: FOREIGN KEY (subscriber_id) REFERENCES users(id)':
    'that release deletes no user',
  "new: constraint subscriptions_end_reason_check of subscriptions: CHECK ((end_reason = ANY (ARRAY['double'::text, 'dispute'::text, 'trader_unavailable'::text, 'to_oneself'::text, 'unpaid'::text, 'account_closed'::text])))":
    'it allows one more',
  'new: constraint subscriptions_kept of subscriptions: CHECK (((kept_cents > 0) AND ((kept_cents IS NULL) = (kept_since IS NULL))))':
    'that release leaves the new columns null',
  'new: constraint subscriptions_agreed of subscriptions: CHECK ((((agreed_cents IS NULL) = (agreed_at IS NULL)) AND ((agreed_cents IS NULL) = (proposed_at IS NULL)) AND ((agreed_cents IS NULL) = (agreed_from IS NULL)) AND ((agreed_cents IS NULL) OR (kept_cents < agreed_cents)) AND ((agreed_cents IS NOT NULL) OR (charged_from IS NULL))))':
    'that release leaves the new columns null',
  'new: constraint subscriptions_renewal of subscriptions: CHECK (((renewal_cents >= 0) AND ((renewal_cents IS NOT NULL) OR ((renewal_cents_until IS NULL) AND (stripe_promotion_code_id IS NULL)))))':
    'that release leaves the new columns null',
  "new: constraint debts_kind_check of debts: CHECK ((kind = ANY (ARRAY['end'::text, 'void'::text, 'refund'::text, 'reversal'::text, 'transfer'::text, 'collection'::text, 'price'::text])))":
    'it allows one more',
  "new: constraint debts_kind_check of debts: CHECK ((kind = ANY (ARRAY['end'::text, 'void'::text, 'refund'::text, 'reversal'::text, 'transfer'::text, 'collection'::text, 'price'::text, 'empty_month'::text])))":
    'it allows one more',
  'new: constraint invoices_tax_cents_check of invoices: CHECK ((tax_cents >= 0))':
    'that release leaves the new column at its default',
  "new: constraint invoices_tax_liable_check of invoices: CHECK ((tax_liable = ANY (ARRAY['platform'::text, 'trader'::text])))":
    'that release leaves the new column null',
  "new: constraint checkout_sessions_tax_liable_check of checkout_sessions: CHECK ((tax_liable = ANY (ARRAY['platform'::text, 'trader'::text])))":
    'that release leaves the new column null',
  "new: constraint debts_kind_check of debts: CHECK ((kind = ANY (ARRAY['end'::text, 'void'::text, 'refund'::text, 'reversal'::text, 'transfer'::text, 'collection'::text, 'price'::text, 'empty_month'::text, 'tax'::text])))":
    'it allows one more',
  'new: constraint invoices_months_judged_check of invoices: CHECK (((months_judged >= 0) AND (months_judged <= 12)))':
    'that release leaves the new column at its default',
  'new: constraint invoices_months_warned_check of invoices: CHECK (((months_warned >= 0) AND (months_warned <= 12)))':
    'that release leaves the new column at its default',
  'new: constraint own_prices_yearly_since of own_prices: CHECK (((yearly_cents IS NULL) = (yearly_since IS NULL)))':
    'that release names no prices',
  'new: constraint debts_trader of debts: FOREIGN KEY (trader_id) REFERENCES users(id)':
    'that release deletes no user',
  'new: constraint trader_income_months_trader of trader_income_months: FOREIGN KEY (trader_id) REFERENCES users(id)':
    'that release deletes no user',
  "new: constraint account_codes_purpose_check of account_codes: CHECK ((purpose = ANY (ARRAY['reauthentication'::text, 'factor_undo'::text, 'old_email'::text, 'new_email'::text])))":
    'it takes the two purposes that release writes, and two more',
  'new: constraint account_codes_known_wrong_tries_check of account_codes: CHECK (((known_wrong_tries >= 0) AND (known_wrong_tries <= 5)))':
    'that release leaves the new column at its default',
  "new: constraint trader_prices_billing_interval_check of trader_prices: CHECK ((billing_interval = ANY (ARRAY['month'::text, 'year'::text])))":
    'that release leaves the new column at its default',
  "new: constraint checkout_sessions_billing_interval_check of checkout_sessions: CHECK ((billing_interval = ANY (ARRAY['month'::text, 'year'::text])))":
    'that release leaves the new column at its default',
  "new: constraint subscriptions_billing_interval_check of subscriptions: CHECK ((billing_interval = ANY (ARRAY['month'::text, 'year'::text])))":
    'that release leaves the new column at its default',
  'new: constraint checkout_sessions_check3 of checkout_sessions: CHECK (((discount_code_id IS NULL) = (stripe_promotion_code_id IS NULL)))':
    'that release leaves both new columns null',
  "new: constraint subscriptions_end_reason_check of subscriptions: CHECK ((end_reason = ANY (ARRAY['double'::text, 'dispute'::text, 'trader_unavailable'::text, 'to_oneself'::text, 'unpaid'::text, 'account_closed'::text, 'trial_used'::text])))":
    'it allows one more',
  "new: constraint subscriptions_end_reason_check of subscriptions: CHECK ((end_reason = ANY (ARRAY['double'::text, 'dispute'::text, 'trader_unavailable'::text, 'to_oneself'::text, 'unpaid'::text, 'account_closed'::text, 'trial_used'::text, 'withdrawn'::text, 'left'::text])))":
    'it allows two more',
  "new: constraint subscriptions_end_reason_check of subscriptions: CHECK ((end_reason = ANY (ARRAY['double'::text, 'dispute'::text, 'trader_unavailable'::text, 'to_oneself'::text, 'unpaid'::text, 'account_closed'::text, 'trial_used'::text, 'withdrawn'::text, 'left'::text, 'fraud_warning'::text])))":
    'it allows one more',
  'new: constraint own_prices_trial_days_check of own_prices: CHECK ((trial_days = ANY (ARRAY[7, 14])))':
    'that release leaves the new column at its default',
  'new: constraint checkout_sessions_trial_days_check of checkout_sessions: CHECK ((trial_days = ANY (ARRAY[7, 14])))':
    'that release leaves the new column at its default',
  "new: constraint checkout_sessions_terms_version_check of checkout_sessions: CHECK ((terms_version <> ''::text))":
    'that release leaves the new column null',
  'new: CREATE UNIQUE INDEX trader_prices_one_current ON public.trader_prices USING btree (trader_id, billing_interval) WHERE (retired_at IS NULL)':
    'it takes one current price more of a trader; that release writes those of a month alone',
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

const contractions: [sql: string, fault: string][] = [
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
    for (const [sql, fault] of contractions) {
      await client.query(sql)
      expect(await faults(), sql).toContainEqual(expect.stringContaining(fault))
    }
  } finally {
    client.release()
  }
})
