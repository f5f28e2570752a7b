/** A person's account, and how they signed in. */
import { sql } from 'kysely'
import { pageById, pageByText } from './person-page.ts'

export const selectAccount = pageById({
  columns: sql`person.id, person.email, person.email_confirmed_at, person.created_at, person.updated_at, person.last_sign_in_at,
    person.suspended_at, person.closed_at, person.position_mails_off_at, person.factor_tries_told_at, person.user_metadata, account.username, account.username_set_at, account.about,
    account.followers_shown, account.public_page_since, account.created_at as account_since,
    (select count(*) from recovery_codes code where code.user_id = person.id and code.used_at is null) as recovery_codes_left`,
  from: sql`users person left join accounts account on account.user_id = person.id`,
  whose: ({ userId }) => sql`person.id = ${userId}`,
  key: sql`person.id`,
})

export const selectIdentities = pageById({
  columns: sql`provider, provider_id, identity_data, created_at, updated_at, last_sign_in_at`,
  from: sql`identities`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectSessions = pageById({
  columns: sql`id, aal, amr, created_at, refreshed_at, reauthenticated_at, revoked_at, user_agent, ip, seen_at, seen_user_agent, seen_ip`,
  from: sql`sessions`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectFactors = pageById({
  columns: sql`id, factor_type, status, friendly_name, phone, created_at, updated_at, last_challenged_at`,
  from: sql`mfa_factors`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectFactorChanges = pageById({
  columns: sql`factor_id, change, friendly_name, factor_created_at, created_at, expires_at, used_at`,
  from: sql`factor_undos`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectRecoveryCodes = pageByText({
  columns: sql`created_at, used_at`,
  from: sql`recovery_codes`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`encode(code_hmac, 'hex')`,
})

export const selectSuspensions = pageById({
  columns: sql`reason, suspended_at, restored_at, restored_because`,
  from: sql`suspensions`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectAddressChanges = pageById({
  columns: sql`old_email, new_email, created_at, expires_at, used_at, overtaken_at`,
  from: sql`email_undos`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectClosings = pageById({
  columns: sql`closed_at, erase_at, reopened_at, reason`,
  from: sql`closings`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

/**
 * With those of before anybody was known, by the hash of the address. Others who asked to change to it have entries of their own, and what
 * was before the person had the address may be of somebody who had it then.
 */
export const selectAudit = pageById({
  columns: sql`at, action, detail, session_id, ip, user_agent`,
  from: sql`audit_log`,
  whose: ({ emailHmacs, userId }) =>
    sql`(user_id = ${userId} or user_id is null and email_hmac = any(${emailHmacs}::text[]) and at >= greatest(
      (select created_at - interval '1 hour' from users where id = ${userId}),
      (select max(own.at) from audit_log own where own.user_id = ${userId} and own.action = 'email_changed')))`,
  key: sql`id`,
  made: sql`at`,
})

export const selectSignInMails = pageById({
  columns: sql`purpose, created_at, code_expires_at, link_expires_at, consumed_at, wrong_tries, known_wrong_tries, ip`,
  from: sql`otp_challenges`,
  whose: ({ email }) => sql`email = ${email}`,
  key: sql`id`,
})

export const selectFiles = pageById({
  columns: sql`created_at, expires_at, begins, taken_at, replaced_at`,
  from: sql`exports`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectFeedback = pageById({
  columns: sql`id, body, created_at`,
  from: sql`feedback`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})
