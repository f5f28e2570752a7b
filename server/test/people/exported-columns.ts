/*
 * Every column of every table that says something of a person, with its place in the person's file (ADR 0122), or the reason why it is in
 * none. A new column has its line here, or its test fails. The erasure of a person has a list of its own (personal-columns.ts).
 */

type Places = Readonly<Record<string, string>>

/** Columns that stand in a table of the file under their own names. */
function inFile(table: string, columns: string): Places {
  return Object.fromEntries(columns.split(/\s+/).map((name) => [name, `exported as ${table}.${name}`]))
}

/** Columns that stand nowhere, for one reason. */
function because(reason: string, columns: string): Places {
  return Object.fromEntries(columns.split(/\s+/).map((name) => [name, reason]))
}

const SELF = 'says whose row it is'
const TRADER = 'names the trader, who is in the file by name'
const SECRET = 'opens something: a secret, or what it was made with'
const WORK = 'how the product does its work: leases, tries, versions'
const ROW = 'a number of the row, which nothing else in the file names'
const COUNTED = 'computed from positions and events, which are in the file'
const LIMITS = 'times of tries within the last hour, against guessing'

export const PERSONAL_COLUMNS: Readonly<Record<string, Places>> = {
  account_codes: {
    ...because(SELF, 'user_id'),
    ...because(
      'a code that was mailed within the last hour, and tries of it; that it was asked for is in security_log',
      'purpose holder_id request_id consumed_at expires_at wrong_tries updated_at sent_at wrong_at known_wrong_tries known_wrong_at',
    ),
    ...because(SECRET, 'code_hmac secret_key_id'),
  },
  accounts: {
    ...because(SELF, 'user_id'),
    ...inFile('account', 'username username_set_at about followers_shown public_page_since'),
    created_at: 'exported as account.account_since',
  },
  activity_reads: {
    ...because(SELF, 'user_id'),
    trader_id: 'exported as read_marks.trader',
    ...inFile('read_marks', 'event_no'),
  },
  audit_log: {
    ...because(SELF, 'user_id email_hmac'),
    ...because(ROW, 'id'),
    ...inFile('security_log', 'at action detail session_id ip user_agent'),
  },
  auth_codes: {
    ...because('a sign-in that is on its way, for minutes', 'email method expires_at consumed_at created_at'),
    ...because(SECRET, 'code_sha256 code_challenge'),
  },
  checkout_sessions: {
    ...because(SELF, 'subscriber_id'),
    trader_id: 'exported as checkouts.trader',
    ...inFile(
      'checkouts',
      'state price_cents currency billing_interval discount_code_id trial_days terms_version tax_liable created_at settled_at stripe_session_id',
    ),
    ...because(ROW, 'id stripe_price_id stripe_promotion_code_id fee_percent'),
    ...because(SECRET, 'url'),
    ...because(WORK, 'look_at lease_owner leased_at'),
  },
  closings: {
    ...because(SELF, 'user_id'),
    ...because(ROW, 'id'),
    ...inFile('closings', 'closed_at erase_at reopened_at reason'),
    ...because('of somebody who is erased there is no file', 'ended_at erased_at customers_left'),
    ...because(WORK, 'due_at tries lease_owner leased_at'),
  },
  consents: {
    ...because(SELF, 'user_id'),
    trader_id: 'exported as consents.trader',
    ...inFile('consents', 'id subscription_id terms_version sentence accepted_at stripe_session_id'),
  },
  customers: {
    ...because(SELF, 'user_id'),
    ...inFile('customers', 'stripe_customer_id state created_at'),
    ...because(WORK, 'generation retry_at tries lease_owner leased_at'),
  },
  debts: {
    ...because(SELF, 'subscriber_id'),
    trader_id: 'exported as refunds.trader',
    ...inFile(
      'refunds',
      'kind cause invoice_id amount_cents currency state created_at settled_at subject stripe_subscription_id',
    ),
    ...because(ROW, 'id'),
    ...because('words of the operator about what Stripe refused', 'remark error refused_at alerted_at'),
    ...because(WORK, 'tries due_at lease_owner leased_at told_at'),
  },
  delivery_exceptions: because(
    'how one mail of an event went, by a number of its order; what a person was told is in activity',
    'trader_id event_no channel mail_no state tries refusals retry_at smtp_code lease_owner leased_at created_at updated_at',
  ),
  delivery_ranges: because(
    'how the mails of an event went, of all followers together',
    'trader_id event_no channel from_mail_no to_mail_no progress_mail_no lease_owner leased_at held_until held_at holds first_sent_at last_sent_at sent_count done_at created_at',
  ),
  discount_codes: {
    ...because(SELF, 'trader_id'),
    ...inFile(
      'discount_codes',
      'id code percent_off amount_off_cents currency months max_uses last_day created_at ended_at stripe_promotion_code_id',
    ),
  },
  email_changes: {
    ...because(SELF, 'user_id'),
    ...because(
      'a change that is on its way, for an hour; that it was asked for is in security_log',
      'session_id new_email asked_at expires_at old_proved_at new_proved_at',
    ),
  },
  email_undos: {
    ...because(SELF, 'user_id'),
    ...because(ROW, 'id'),
    ...inFile('address_changes', 'old_email new_email created_at expires_at used_at overtaken_at'),
  },
  event_backfills: because(WORK, 'trader_id reader last_event_no'),
  event_work: because(
    WORK,
    'trader_id reader event_no created_at tries retry_at lease_owner leased_at parked_at last_fault',
  ),
  exports: {
    ...because(SELF, 'user_id'),
    ...because(ROW, 'id'),
    ...inFile('files', 'created_at expires_at begins taken_at replaced_at'),
  },
  factor_undos: {
    ...because(SELF, 'user_id'),
    ...because(ROW, 'id'),
    ...inFile(
      'second_factor_changes',
      'factor_id change friendly_name factor_created_at created_at expires_at used_at',
    ),
    ...because(SECRET, 'secret_sealed secret_key_id last_step'),
  },
  feedback: { ...because(SELF, 'user_id'), ...inFile('feedback', 'id body created_at') },
  following_prices: {
    ...because(SELF, 'subscriber_id'),
    trader_id: 'exported as following_prices.trader',
    ...inFile('following_prices', 'position_id symbol price priced_at'),
  },
  former_customers: {
    ...because(SELF, 'user_id'),
    ...inFile('customers', 'stripe_customer_id forgotten_at'),
  },
  identities: {
    ...because(SELF, 'user_id'),
    ...because(ROW, 'id'),
    ...inFile('identities', 'provider provider_id identity_data created_at updated_at last_sign_in_at'),
  },
  invoices: {
    trader_id: 'exported as payments.trader',
    ...inFile(
      'payments',
      'invoice_id subscription_id status amount_due_cents amount_paid_cents refunded_cents tax_cents tax_liable currency period_start period_end created_at paid_at disputed_at dispute_status warned_at refunded_at synced_at charge_id payment_intent_id',
    ),
    ...inFile('earnings', 'transferred_cents reversed_cents fee_cents fee_refunded_cents tax_held_cents'),
    ...because(WORK, 'months_judged months_warned judge_at'),
  },
  leave_requests: {
    ...because(
      'a link that works for an hour and goes after thirty days; its mail is in the file',
      'id trader_id subscription_id created_at expires_at used_at',
    ),
    ...because(SELF, 'subscriber_id'),
  },
  mail_plans: because(
    'how the mails of an event are planned',
    'trader_id event_no channel audience_size planned_at',
  ),
  mail_refusals: {
    ...because(SELF, 'user_id'),
    trader_id: 'exported as mail_refusals.trader',
    ...inFile('mail_refusals', 'event_no refused_at'),
  },
  mail_reports: {
    ...because(SELF, 'user_id reader_id'),
    ...because(SECRET, 'tag'),
    ...inFile('mail_reports', 'kind topic source status smtp_code about counts reported_at'),
  },
  mfa_challenges: because(
    'an answer of an authenticator app that is awaited, for minutes',
    'id factor_id session_id wrong_tries expires_at verified_at created_at',
  ),
  mfa_factors: {
    ...because(SELF, 'user_id'),
    ...inFile(
      'second_factors',
      'id factor_type status friendly_name phone created_at updated_at last_challenged_at',
    ),
    ...because(SECRET, 'secret_sealed secret_key_id last_step'),
    ...because(LIMITS, 'wrong_at known_wrong_at recovery_wrong_at known_recovery_wrong_at'),
  },
  otp_challenges: {
    ...because(SELF, 'email'),
    ...because(ROW, 'id create_user'),
    ...inFile(
      'sign_in_mails',
      'purpose created_at code_expires_at link_expires_at consumed_at wrong_tries known_wrong_tries ip',
    ),
    ...because(SECRET, 'secret_key_id code_hmac link_sha256 code_challenge'),
  },
  outbox: {
    ...because(SELF, 'user_id'),
    ...because(ROW, 'id'),
    ...inFile('mails', 'kind facts cause created_at ended_at ended_as tries'),
    ...because(WORK, 'lane due_at expires_at place_in lease_owner leased_at fault'),
  },
  own_prices: {
    ...because(SELF, 'trader_id'),
    ...inFile(
      'own_prices',
      'monthly_cents yearly_cents currency trial_days changed_at monthly_since yearly_since notified_until',
    ),
    ...because(WORK, 'notify_at lease_owner leased_at'),
  },
  payout_accounts: {
    ...because(SELF, 'user_id'),
    ...inFile(
      'payout_account',
      'stripe_account_id country transfers_status state reason complete_at lost_at rejected_at closed_at tax_ready terms_version terms_accepted_at synced_at created_at',
    ),
    ...because(WORK, 'generation revision look_at tries lease_owner leased_at'),
  },
  position_adjustments: {
    ...because(SELF, 'trader_id'),
    ...because(ROW, 'nth retraction_id'),
    ...inFile(
      'position_changes',
      'position_id reason effective_on adjusted_at event_no open_price_before open_price_after new_shares old_shares corrected price_before price_after explained symbol_before symbol_after',
    ),
  },
  position_events: {
    ...because(SELF, 'trader_id'),
    ...inFile('events', 'event_no position_id kind created_at'),
    ...because('a name in the log of the request, which has nothing of the person', 'request_id'),
  },
  positions: {
    ...because(SELF, 'trader_id'),
    ...inFile(
      'positions',
      'id symbol hold_length open_price open_notes opened_at close_price close_notes closed_at close_quoted_at percentage_gain closed_by_operator override_used unsettled settled_at settled_by public_at struck_at struck_reason ticker_lost_on',
    ),
    active: 'whether closed_at is empty',
    ...because(
      'the price check that was used up; price_checks has those of a day',
      'open_preview_id close_preview_id',
    ),
    ...because(WORK, 'public_mail_due settle_asked_at'),
  },
  price_previews: {
    ...because(SELF, 'trader_id'),
    ...because(ROW, 'id'),
    ...inFile('price_checks', 'symbol price quoted_at created_at expires_at consumed_at suspect'),
    ...because(SECRET, 'key_sha256'),
  },
  provider_calls: because(LIMITS, 'person_id asked_at pool'),
  push_deliveries: {
    ...because(SELF, 'user_id'),
    trader_id: 'exported as notifications.trader',
    ...inFile('notifications', 'event_no device_id endpoint_host created_at ended_at ended_as tries'),
    ...because(WORK, 'share due_at lease_owner leased_at fault'),
  },
  push_devices: {
    ...because(SELF, 'user_id'),
    ...inFile('devices', 'id session_id user_agent created_at failing_since'),
    endpoint: 'exported as devices.push_service',
    ...because(SECRET, 'push_key_id p256dh auth_secret token_hash token_secret_key_id'),
    ...because(WORK, 'standing'),
  },
  record_plan: {
    trader_id: 'exported as received_receipts.trader',
    ...inFile('own_receipts', 'event_no position_id change log_index'),
    ...because('is in the receipt', 'seq'),
  },
  record_texts: {
    text: 'exported as own_receipts.receipt',
    log_index: 'exported as own_receipts.log_index',
    ...because('is in the receipt', 'record_id'),
  },
  records: {
    ...because(SELF, 'trader_id'),
    ...because('is in the receipts', 'record_id seq open_count closed_count last_leaf erased_at'),
    ...because(SECRET, 'salt_key'),
  },
  recovery_codes: {
    ...because(SELF, 'user_id'),
    ...inFile('recovery_codes', 'created_at used_at'),
    ...because(SECRET, 'code_hmac secret_key_id'),
  },
  renewal_mails: {
    ...because(SELF, 'user_id'),
    ...inFile('renewal_mail', 'stopped_at'),
    ...because(SECRET, 'unsubscribe_token'),
  },
  sessions: {
    ...because(SELF, 'user_id'),
    ...inFile(
      'sessions',
      'id aal amr created_at refreshed_at reauthenticated_at revoked_at user_agent ip seen_at seen_user_agent seen_ip',
    ),
    ...because('by which app a session was raised, which security_log says', 'factor_id'),
    ...because(SECRET, 'refresh_counter raised_from successor_seen'),
  },
  sign_in_addresses: because(
    'times of mails and wrong codes within the last hour, against guessing; security_log has them for a year',
    'email sent_at known_sent_at wrong_at known_wrong_at returned_at updated_at',
  ),
  subscriptions: {
    ...because(SELF, 'subscriber_id'),
    trader_id: 'exported as following.trader',
    ...inFile(
      'following',
      'id status price_cents currency billing_interval started_at trial_ends_at current_period_end cancel_at past_due_since paused_since ended_at end_reason entitled_from_event entitled_until_event earlier_windows mail_muted_at push_muted_at mails_unknown_until_event unmailed_until_event stripe_subscription_id fee_percent synced_at kept_cents kept_since agreed_cents agreed_at proposed_at agreed_from charged_from known_cents renewal_cents renewal_cents_until stripe_promotion_code_id',
    ),
    ...because(SECRET, 'unsubscribe_token'),
    ...because(WORK, 'mail_no'),
  },
  suppressions: {
    ...because(SELF, 'user_id'),
    ...inFile('mail_stop', 'cause smtp_code smtp_status created_at ends_at'),
  },
  suspensions: {
    ...because(SELF, 'user_id'),
    ...because(ROW, 'id'),
    ...inFile('suspensions', 'reason suspended_at restored_at restored_because'),
  },
  trader_days: because(COUNTED, 'trader_id day positions day_return excess shown_return shown_excess'),
  trader_follower_months: {
    ...because(SELF, 'trader_id'),
    ...inFile('follower_months', 'month gained lost'),
  },
  trader_income_months: { ...because(SELF, 'trader_id'), ...inFile('income_months', 'month currency cents') },
  trader_prices: {
    ...because(SELF, 'trader_id'),
    ...inFile(
      'prices',
      'price_cents currency billing_interval created_at retired_at lost_at stripe_price_id stripe_product_id',
    ),
  },
  trader_scores: because(COUNTED, 'as_of trader_id low middle high reliability suspended'),
  trader_sparklines: because(COUNTED, 'trader_id levels'),
  trader_stats: because(
    COUNTED,
    'trader_id first_opened_at open_count closed_count unsettled_count settled_count win_count kept_count gain_sum gain_avg suspended',
  ),
  traders: {
    ...because(SELF, 'trader_id'),
    ...because(COUNTED, 'last_event_no last_mail_no created_at'),
  },
  trials: {
    ...because(SELF, 'user_id'),
    trader_id: 'exported as trials.trader',
    ...because(SECRET, 'secret_key_id'),
    ...inFile('trials', 'stripe_subscription_id granted began_at decided_at address_hmac card_hmac'),
  },
  unsubscribe_tokens: {
    ...because(TRADER, 'trader_id'),
    ...because(ROW, 'subscription_id'),
    ...because(SECRET, 'token'),
  },
  users: {
    ...inFile(
      'account',
      'id email email_confirmed_at created_at updated_at last_sign_in_at suspended_at closed_at position_mails_off_at factor_tries_told_at user_metadata',
    ),
    ...because('of somebody who is erased there is no file', 'erased_at'),
    ...because('the earlier of two that are in the file', 'inactive_since'),
  },
}

/** Tables without a word of a person. */
export const IMPERSONAL_TABLES: Places = {
  ...because('when backups were taken and restored', 'backups'),
  ...because('hashes of names that nobody has', 'former_usernames'),
  ...because('how far the night’s figures are computed', 'day_runs day_steps score_runs'),
  ...because('which parts of the product read events', 'event_readers'),
  ...because('since when the operator returns empty months', 'empty_month_returns'),
  ...because(
    'facts about stocks and their prices',
    'former_symbols late_prices price_retractions suspect_prices symbol_days symbol_directory symbol_marks symbol_splits symbols mark_pace',
  ),
  ...because('signatures of webhooks', 'mailgun_signatures'),
  ...because(
    'versions and keys of the product',
    'migrations push_keys signing_keys record_keys read_versions',
  ),
  ...because('what the operator is told', 'operator_notices unread_reports report_mailbox'),
  ...because('counts under keyed hashes and ids, for a day at most', 'rate_limits'),
  ...because(
    'the public tree: hashes, and leaves that lead to nobody without the key of a record',
    'record_checkpoints record_entries record_gaps record_head record_tiles',
  ),
  ...because('ids of Stripe’s events, for sixty days', 'stripe_events'),
  ...because('the operator’s account at Stripe', 'stripe_platform'),
  ...because('jobs that wait, by ids', 'work'),
}
