import type pg from 'pg'
import { newId } from '../../src/platform/ids.ts'

/** A word that stands wherever a person, or somebody about them, can have written something. */
export const CANARY = 'zqxcanary'
export const CANARY_EMAIL = 'zqxcanary@example.com'
export const CANARY_IP = '203.0.113.77'

/**
 * Columns of text that an erasure leaves as they are, with the reason. Every other column of text is filled with the canary by `fillPerson`,
 * so that a new one is either erased or stands here.
 */
export const KEPT_COLUMNS: Readonly<Record<string, string>> = {
  ...because('words of ours from a closed list', [
    ['account_codes', 'purpose'],
    ['audit_log', 'action'],
    ['auth_codes', 'method'],
    ['checkout_sessions', 'state'],
    ['customers', 'state'],
    ['debts', 'kind', 'cause', 'state'],
    ['delivery_exceptions', 'channel', 'state'],
    ['delivery_ranges', 'channel'],
    ['event_backfills', 'reader'],
    ['event_readers', 'name'],
    ['event_work', 'reader'],
    ['factor_undos', 'change'],
    ['identities', 'provider'],
    ['invoices', 'status', 'dispute_status'],
    ['mail_plans', 'channel'],
    ['mail_reports', 'kind', 'topic', 'source', 'about'],
    ['mfa_factors', 'factor_type', 'status'],
    ['operator_notices', 'kind'],
    ['otp_challenges', 'purpose'],
    ['outbox', 'kind', 'lane', 'ended_as'],
    ['payout_accounts', 'transfers_status', 'state'],
    ['position_adjustments', 'reason', 'corrected'],
    ['position_events', 'kind'],
    ['positions', 'settled_by'],
    ['provider_calls', 'pool'],
    ['push_deliveries', 'ended_as'],
    ['read_versions', 'name'],
    ['record_plan', 'change'],
    ['sessions', 'aal', 'amr'],
    ['signing_keys', 'alg', 'state'],
    ['stripe_events', 'endpoint', 'type', 'api_version', 'state'],
    ['subscriptions', 'status', 'end_reason'],
    ['suppressions', 'cause'],
    ['unread_reports', 'source', 'reason'],
    ['work', 'name'],
  ]),
  ...because('names a share', [
    ['following_prices', 'symbol'],
    ['former_symbols', 'symbol', 'name', 'figi'],
    ['position_adjustments', 'symbol_before', 'symbol_after'],
    ['positions', 'symbol'],
    ['late_prices', 'symbol'],
    ['price_previews', 'symbol'],
    ['price_retractions', 'symbol', 'reason'],
    ['suspect_prices', 'symbol'],
    ['symbol_days', 'symbol'],
    ['symbol_marks', 'symbol'],
    ['symbol_splits', 'symbol'],
    ['symbols', 'symbol', 'name', 'figi'],
  ]),
  ...because('payments stay, under ids of Stripe', [
    [
      'checkout_sessions',
      'stripe_price_id',
      'stripe_promotion_code_id',
      'currency',
      'billing_interval',
      'terms_version',
      'tax_liable',
    ],
    ['consents', 'terms_version', 'sentence', 'stripe_session_id'],
    ['debts', 'stripe_subscription_id', 'subject', 'invoice_id', 'currency', 'error', 'remark'],
    ['discount_codes', 'currency', 'stripe_promotion_code_id'],
    ['invoices', 'invoice_id', 'currency', 'charge_id', 'payment_intent_id', 'tax_liable'],
    ['own_prices', 'currency'],
    ['payout_accounts', 'stripe_account_id'],
    ['stripe_events', 'event_id', 'object_id', 'error'],
    ['stripe_platform', 'account_id', 'portal_configuration_id'],
    ['subscriptions', 'stripe_subscription_id', 'stripe_promotion_code_id', 'currency', 'billing_interval'],
    ['trader_income_months', 'currency'],
    ['trader_prices', 'stripe_price_id', 'stripe_product_id', 'currency', 'billing_interval'],
  ]),
  ...because(
    'of a trial, with hashes of address and card: these rows go 400 days after the erasure (rule G-123)',
    [['trials', 'stripe_subscription_id']],
  ),
  ...because('an id of Stripe that goes once Stripe has deleted the customer', [
    ['closings', 'customers_left'],
    ['customers', 'stripe_customer_id'],
    ['former_customers', 'stripe_customer_id'],
  ]),
  ...because('names a key of the operator, or is one', [
    ['account_codes', 'secret_key_id'],
    ['factor_undos', 'secret_key_id'],
    ['mfa_factors', 'secret_key_id'],
    ['otp_challenges', 'secret_key_id'],
    ['trials', 'secret_key_id'],
    ['push_devices', 'token_secret_key_id'],
    ['push_keys', 'public_key', 'secret_key_id'],
    ['record_keys', 'vkey', 'secret_key_id'],
    ['recovery_codes', 'secret_key_id'],
    ['signing_keys', 'kid', 'public_jwk', 'secret_key_id'],
  ]),
  ...because('the log as a whole; of a person it has hashes', [
    ['record_gaps', 'lost_note'],
    ['record_head', 'origin', 'note'],
    ['record_texts', 'text'],
  ]),
  ...because('ids, and words that quote nobody', [
    ['event_work', 'last_fault'],
    ['mail_reports', 'status'],
    ['position_events', 'request_id'],
    ['rate_limits', 'key'],
    ['suppressions', 'smtp_status'],
    ['work', 'key', 'facts', 'fault'],
    ['identities', 'provider_id'],
    ['audit_log', 'email_hmac'],
    ['push_deliveries', 'endpoint_host', 'fault'],
    ['outbox', 'fault'],
  ]),
  ...because('of the database itself', [['migrations', 'name', 'sha256']]),
}

function because(reason: string, columns: [table: string, ...names: string[]][]): Record<string, string> {
  return Object.fromEntries(
    columns.flatMap(([table, ...names]) => names.map((name) => [`${table}.${name}`, reason])),
  )
}

/**
 * Writes the canary into every column of text of a person that is not kept.
 * @param person with a username, a session, a position, and a subscription to somebody else
 */
export async function fillPerson(
  pool: pg.Pool,
  { sessionId, userId }: { userId: string; sessionId: string },
  now: Date,
): Promise<void> {
  const run = (sql: string, ...values: unknown[]) => pool.query(sql, values)
  const email = CANARY_EMAIL
  const word = CANARY
  await run('update users set user_metadata = $2 where id = $1', userId, JSON.stringify({ name: word }))
  await run('update accounts set about = $2, public_page_since = $3 where user_id = $1', userId, word, now)
  await run(
    `update sessions set user_agent = $2, seen_user_agent = $2, ip = $3, seen_ip = $3 where id = $1`,
    sessionId,
    word,
    CANARY_IP,
  )
  await run(
    `insert into audit_log (id, at, action, user_id, email_hmac, detail, ip, user_agent)
     values ($1, $2, 'signed_in', $3, 'hmac', $4, $5, $4)`,
    newId(),
    now,
    userId,
    word,
    CANARY_IP,
  )
  await run(
    `insert into auth_codes (code_sha256, email, code_challenge, method, expires_at, created_at)
     values ('\\x01', $1, $2, 'magiclink', $3, $3)`,
    email,
    word,
    now,
  )
  await run(
    `insert into otp_challenges (id, email, purpose, code_challenge, code_expires_at, link_expires_at, ip, created_at)
     values ($1, $2, 'sign_in', $3, $4, $4, $5, $4)`,
    newId(),
    email,
    word,
    now,
    CANARY_IP,
  )
  await run(
    `insert into discount_codes (trader_id, id, code, percent_off, currency, created_at) values ($1, $2, $3, 10, 'usd', $4)`,
    userId,
    newId(),
    word.toUpperCase(),
    now,
  )
  await run('insert into sign_in_addresses (email, updated_at) values ($1, $2)', email, now)
  await run(
    'insert into email_changes (user_id, session_id, new_email, asked_at, expires_at) values ($1, $2, $3, $4, $4)',
    userId,
    sessionId,
    email,
    now,
  )
  await run(
    `insert into email_undos (id, user_id, old_email, new_email, created_at, expires_at) values ($1, $2, $3, $3, $4, $4)`,
    newId(),
    userId,
    email,
    now,
  )
  await run(
    `insert into factor_undos (id, user_id, factor_id, change, friendly_name, created_at, expires_at)
     values ($1, $2, $1, 'added', $3, $4, $4)`,
    newId(),
    userId,
    word,
    now,
  )
  await run(
    `insert into mfa_factors (id, user_id, factor_type, status, friendly_name, phone, created_at, updated_at)
     values ($1, $2, 'phone', 'unverified', $3, $3, $4, $4)`,
    newId(),
    userId,
    word,
    now,
  )
  await run(
    'insert into feedback (id, user_id, body, created_at) values ($1, $2, $3, $4)',
    newId(),
    userId,
    `${word} could be better.`,
    now,
  )
  await run(
    `insert into suspensions (id, user_id, reason, suspended_at, restored_at, restored_because) values ($1, $2, $3, $4, $4, $3)`,
    newId(),
    userId,
    word,
    now,
  )
  await run(
    'insert into renewal_mails (user_id, unsubscribe_token) values ($1, $2) on conflict (user_id) do update set unsubscribe_token = $2',
    userId,
    word,
  )
  await run(
    `insert into outbox (id, kind, lane, user_id, facts, cause, created_at, due_at, expires_at, ended_at, ended_as)
     values ($1, 'account_suspended', 'other', $2, $3, $4, $5, $5, $5, $5, 'sent')`,
    newId(),
    userId,
    JSON.stringify({ reason: word }),
    word,
    now,
  )
  await run(
    `insert into push_keys (id, public_key, private_sealed, secret_key_id, created_at)
     values ($1, repeat('A', 87), '\\x01', 'key', $2) on conflict do nothing`,
    newId(),
    now,
  )
  await run(
    `insert into push_devices (id, user_id, session_id, push_key_id, endpoint, p256dh, auth_secret, token_hash,
       token_secret_key_id, user_agent, created_at)
     select $1, $2, $3, id, $4, decode(repeat('04', 65), 'hex'), decode(repeat('04', 16), 'hex'), decode(repeat('04', 32), 'hex'),
       'key', $5, $6 from push_keys limit 1`,
    newId(),
    userId,
    sessionId,
    `https://push.example/${word}`,
    word,
    now,
  )
  await run('update positions set open_notes = $2 where trader_id = $1', userId, `${word} for a reason.`)
  await run(
    'update positions set close_notes = $2, struck_at = $3, struck_reason = $2 where trader_id = $1 and closed_at is not null',
    userId,
    `${word} is over.`,
    now,
  )
  await run(
    `insert into position_adjustments (trader_id, position_id, reason, effective_on, open_price_before, open_price_after, adjusted_at,
       event_no, explained)
     select trader_id, position_id, 'struck', '2026-03-12', 1, 1, $2, event_no, $3
     from position_events where trader_id = $1 order by event_no limit 1`,
    userId,
    now,
    word,
  )
  await run(
    'update payout_accounts set country = $2, reason = $2, terms_version = $2 where user_id = $1',
    userId,
    word,
  )
  await run(
    `update checkout_sessions set url = $2, stripe_session_id = $3 where subscriber_id = $1`,
    userId,
    `https://checkout.example/${word}`,
    word,
  )
  await run(
    `with named as (update subscriptions set unsubscribe_token = $2 where subscriber_id = $1 returning trader_id, id)
     insert into unsubscribe_tokens select $2, trader_id, id from named`,
    userId,
    word,
  )
  await run('update closings set reason = $2 where user_id = $1', userId, word)
}

/** Every column of text in the schema, as `table.column`. */
export async function listTextColumns(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and udt_name in ('text', 'jsonb', 'json', 'inet', 'varchar', '_text') order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Which columns hold one of the words, as `table.column`. */
export async function columnsWith(pool: pg.Pool, words: string[], columns: string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of columns) {
    const [table, column] = name.split('.')
    const { rowCount } = await pool.query(
      `select from ${table} where ${column}::text ilike any($1) limit 1`,
      [words.map((word) => `%${word}%`)],
    )
    if (rowCount) found.push(name)
  }
  return found
}
