import { type ExportTable, tableById, tableByText } from './export-table.ts'
import {
  selectAccount,
  selectAddressChanges,
  selectAudit,
  selectClosings,
  selectFactorChanges,
  selectFactors,
  selectFeedback,
  selectFiles,
  selectIdentities,
  selectRecoveryCodes,
  selectSessions,
  selectSignInMails,
  selectSuspensions,
} from './people.queries.ts'

export const peopleTables: readonly ExportTable[] = [
  tableById({
    name: 'account',
    holds: 'Your address, your username, the words about you, and what is public of you.',
    columns: {
      ...{
        id: 'id',
        email: 'text',
        email_confirmed_at: 'instant?',
        created_at: 'instant',
        updated_at: 'instant',
      },
      ...{ last_sign_in_at: 'instant?', suspended_at: 'instant?', factor_tries_told_at: 'instant?' },
      ...{ closed_at: 'instant?', position_mails_off_at: 'instant?' },
      ...{ user_metadata: 'json', username: 'text?', username_set_at: 'instant?', about: 'text?' },
      ...{ followers_shown: 'flag?', public_page_since: 'instant?', account_since: 'instant?' },
      recovery_codes_left: 'count',
    },
    select: selectAccount,
  }),
  tableById({
    name: 'identities',
    holds: 'The ways in which you sign in.',
    columns: {
      ...{ provider: 'text', provider_id: 'text', identity_data: 'json' },
      ...{ created_at: 'instant', updated_at: 'instant', last_sign_in_at: 'instant?' },
    },
    select: selectIdentities,
  }),
  tableById({
    name: 'sessions',
    holds: 'Where you are and were signed in, without what lets a browser in.',
    columns: {
      ...{ id: 'id', aal: 'text', amr: 'json', created_at: 'instant', refreshed_at: 'instant' },
      ...{ reauthenticated_at: 'instant?', revoked_at: 'instant?', user_agent: 'text?', ip: 'text?' },
      ...{ seen_at: 'instant?', seen_user_agent: 'text?', seen_ip: 'text?' },
    },
    select: selectSessions,
  }),
  tableById({
    name: 'second_factors',
    holds: 'Your authenticator apps, without their secrets.',
    columns: {
      ...{ id: 'id', factor_type: 'text', status: 'text', friendly_name: 'text', phone: 'text?' },
      ...{ created_at: 'instant', updated_at: 'instant', last_challenged_at: 'instant?' },
    },
    select: selectFactors,
  }),
  tableById({
    name: 'second_factor_changes',
    holds: 'Changes of your authenticator apps that can still be undone, or could be a short time ago.',
    columns: {
      ...{ factor_id: 'id', change: 'text', friendly_name: 'text?', factor_created_at: 'instant?' },
      ...{ created_at: 'instant', expires_at: 'instant', used_at: 'instant?' },
    },
    select: selectFactorChanges,
  }),
  tableByText({
    name: 'recovery_codes',
    holds: 'When your recovery codes were made and used; the codes themselves are known to you alone.',
    columns: { created_at: 'instant', used_at: 'instant?' },
    select: selectRecoveryCodes,
  }),
  tableById({
    name: 'suspensions',
    holds: 'When and why your account was suspended, and let back.',
    columns: {
      ...{ reason: 'text', suspended_at: 'instant', restored_at: 'instant?', restored_because: 'text?' },
    },
    select: selectSuspensions,
  }),
  tableById({
    name: 'security_log',
    holds: 'What was done with your account and from where, for a year.',
    columns: {
      ...{
        at: 'instant',
        action: 'text',
        detail: 'text?',
        session_id: 'id?',
        ip: 'text?',
        user_agent: 'text?',
      },
    },
    select: selectAudit,
  }),
  tableById({
    name: 'sign_in_mails',
    holds: 'Sign-in mails that were asked for a short time ago.',
    columns: {
      ...{ purpose: 'text', created_at: 'instant', code_expires_at: 'instant', link_expires_at: 'instant' },
      ...{ consumed_at: 'instant?', wrong_tries: 'count', known_wrong_tries: 'count', ip: 'text?' },
    },
    select: selectSignInMails,
  }),
  tableById({
    name: 'files',
    holds: 'Files like this one that you asked for a short time ago.',
    columns: {
      ...{ created_at: 'instant', expires_at: 'instant', begins: 'count' },
      ...{ taken_at: 'instant?', replaced_at: 'instant?' },
    },
    select: selectFiles,
  }),
  tableById({
    name: 'address_changes',
    holds: 'Changes of your address that can still be taken back.',
    columns: {
      ...{ old_email: 'text', new_email: 'text', created_at: 'instant', expires_at: 'instant' },
      ...{ used_at: 'instant?', overtaken_at: 'instant?' },
    },
    select: selectAddressChanges,
  }),
  tableById({
    name: 'closings',
    holds: 'When your account was closed, and given back.',
    columns: { closed_at: 'instant', erase_at: 'instant', reopened_at: 'instant?', reason: 'text?' },
    select: selectClosings,
  }),
  tableById({
    name: 'feedback',
    holds: 'What you wrote to us.',
    columns: { id: 'id', body: 'text', created_at: 'instant' },
    select: selectFeedback,
  }),
]
