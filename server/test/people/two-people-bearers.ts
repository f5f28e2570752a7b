/**
 * The bearer of such a secret may do what it is for, and only that.
 * @property answers the status
 * @property changes the tables in which a row of the other person is another one afterwards, and of how many it is where it is not one
 * @property reveals the values of the other person that the answer holds
 */
export type Bearer = { because: string; answers: number; changes: string[]; reveals: string[] }

const MAILBOX = 'the reader of the mailbox signs in; a person with a second factor is asked for it'
const SIGNED_IN = { answers: 200, changes: ['audit_log', 'otp_challenges', 'sessions'] }
const USER = ['factor', 'identity', 'name of the factor', 'nickname', 'user id']
const ASKED = {
  because: 'anybody may ask for a mail to any address, and its owner gets it',
  answers: 200,
  changes: ['otp_challenges', 'outbox', 'sign_in_addresses'],
  reveals: [],
}
/** The mail before it counts no longer. */
const ASKED_AGAIN = { ...ASKED, changes: ['otp_challenges 2', 'outbox', 'sign_in_addresses'] }
const EMAIL_UNDONE = [
  'account_codes 2',
  'audit_log',
  'auth_codes',
  'email_undos',
  'otp_challenges',
  'outbox 2',
  'push_devices',
  'recovery_codes 10',
  'sessions',
  'work',
]
const EMAIL_UNDO = {
  because: 'the link came to the mailbox that it gives back (ADR 0123)',
  answers: 200,
  reveals: ['address'],
}
const ENDPOINT = {
  because:
    'the address of a browser is a secret of that browser (RFC 8030, 8.3): who has it turns notifications on there',
  changes: ['push_devices'],
  reveals: [],
}
const UNSUBSCRIBED = {
  because: 'a mail’s link stops the mails of its subscription (rule G-63)',
  answers: 200,
  changes: ['subscriptions'],
  reveals: [],
}
const OF_LINK = {
  because: 'the page of a mail’s link stops the mails about all traders, and takes stops back (rule G-120)',
  answers: 200,
  changes: [],
  reveals: [],
}
const BY_TOKEN = { answers: 200, changes: ['push_devices'], reveals: [] }

export const BEARERS: Readonly<Record<string, Bearer>> = {
  'POST /auth/v1/otp body.email < address': ASKED_AGAIN,
  'POST /auth/v1/otp whole': ASKED_AGAIN,
  'POST /auth/v1/resend body.email < address': ASKED_AGAIN,
  'POST /auth/v1/resend whole': ASKED_AGAIN,
  'POST /auth/v1/resend (address) body.email < address': {
    because: 'anybody may have the codes of a change sent again, who shows no session (rule G-119)',
    answers: 200,
    changes: ['sign_in_addresses'],
    reveals: [],
  },
  'POST /auth/v1/resend (address) whole': {
    because: 'anybody may have the codes of a change sent again, who shows no session (rule G-119)',
    answers: 200,
    changes: ['sign_in_addresses'],
    reveals: [],
  },
  'PUT /auth/v1/user (address) body.email < address': {
    because: 'an address that is somebody’s is answered as a free one is, and never taken (rule G-119)',
    answers: 200,
    changes: ['email_changes', 'sign_in_addresses'],
    reveals: [],
  },
  'GET /mail/address/:token params.token < undo link of the address': { ...EMAIL_UNDO, changes: [] },
  'GET /mail/address/:token whole': { ...EMAIL_UNDO, changes: [] },
  'POST /mail/address/:token params.token < undo link of the address': {
    ...EMAIL_UNDO,
    changes: EMAIL_UNDONE,
  },
  'POST /mail/address/:token whole': { ...EMAIL_UNDO, changes: EMAIL_UNDONE },
  'POST /auth/v1/recover body.email < address': ASKED,
  'POST /auth/v1/recover whole': ASKED,
  'POST /auth/v1/verify body.email < address': {
    because: 'a wrong code is counted for its address (rule G-04)',
    answers: 403,
    changes: ['otp_challenges', 'sign_in_addresses'],
    reveals: [],
  },
  'POST /auth/v1/verify whole': { because: MAILBOX, ...SIGNED_IN, reveals: USER },
  'POST /auth/v1/verify (link) body.token_hash < link of the mail': {
    because: MAILBOX,
    ...SIGNED_IN,
    reveals: ['address', ...USER],
  },
  'POST /auth/v1/verify (link) whole': { because: MAILBOX, ...SIGNED_IN, reveals: ['address', ...USER] },
  'GET /auth/v1/verify query.token < link of the mail': {
    because: MAILBOX,
    ...SIGNED_IN,
    answers: 303,
    reveals: [],
  },
  'GET /auth/v1/verify whole': { because: MAILBOX, ...SIGNED_IN, answers: 303, reveals: [] },
  'POST /auth/v1/link body.token_hash < link of the mail': {
    because: 'the page of the link names whose it is (rule G-03)',
    answers: 200,
    changes: [],
    reveals: ['address'],
  },
  'POST /auth/v1/returned body.email < address': {
    because: 'every address is answered alike, but to the page that made up its challenge (ADR 0091)',
    answers: 200,
    changes: [],
    reveals: [],
  },
  'POST /auth/v1/token (PKCE) whole': {
    because: 'the code of a redirect and the verifier behind it are a sign-in',
    answers: 200,
    changes: ['audit_log', 'auth_codes', 'sessions'],
    reveals: ['address', ...USER],
  },
  'POST /auth/v1/token (refresh) body.refresh_token < refresh token': {
    because: 'a refresh token is its session',
    answers: 200,
    changes: ['sessions'],
    reveals: ['address', ...USER],
  },
  'POST /auth/v1/token (refresh) whole': {
    because: 'a refresh token is its session',
    answers: 200,
    changes: ['sessions'],
    reveals: ['address', ...USER],
  },
  'turnOnPush body.endpoint < address of the browser': { ...ENDPOINT, answers: 201 },
  'turnOnPush whole': { ...ENDPOINT, answers: 201 },
  'POST /push/renew body.subscription.endpoint < address of the browser': { ...ENDPOINT, answers: 200 },
  'POST /push/renew body.token < device token': {
    because: 'a browser gives its new address by the token alone (ADR 0063)',
    ...BY_TOKEN,
  },
  'POST /push/renew whole': {
    because: 'a browser gives its new address by the token alone (ADR 0063)',
    ...BY_TOKEN,
  },
  'POST /push/off body.token < device token': {
    because: 'a notification turns its device off without a sign-in (ADR 0063)',
    ...BY_TOKEN,
  },
  'POST /mail/unsubscribe/:token params.token < unsubscribe link': UNSUBSCRIBED,
  'POST /mail/unsubscribe/:token params.token < unsubscribe link of a follower': UNSUBSCRIBED,
  'POST /mail/unsubscribe/:token/all params.token < unsubscribe link': { ...OF_LINK, changes: ['users'] },
  // The follower is a third person, and the other's rows stay as they are.
  'POST /mail/unsubscribe/:token/all params.token < unsubscribe link of a follower': OF_LINK,
  // Nothing was stopped that could be taken back.
  'POST /mail/unsubscribe/:token/undo params.token < unsubscribe link': OF_LINK,
  'POST /mail/unsubscribe/:token/undo params.token < unsubscribe link of a follower': OF_LINK,
  'POST /mail/unsubscribe/:token/undo-all params.token < unsubscribe link': OF_LINK,
  'POST /mail/unsubscribe/:token/undo-all params.token < unsubscribe link of a follower': OF_LINK,
  'POST /mail/export/:token params.token < export link': {
    because: 'the link gives the file of its person, once (ADR 0122)',
    answers: 200,
    changes: ['audit_log', 'exports'],
    reveals: [],
  },
  'POST /mail/second-step/:token params.token < undo link': {
    because: 'the link has a code mailed to the owner',
    answers: 200,
    changes: ['account_codes', 'audit_log', 'outbox'],
    reveals: [],
  },
  'POST /mail/second-step/:token (code) params.token < undo link': {
    because: 'a wrong code is counted for its link',
    answers: 422,
    changes: ['account_codes', 'audit_log'],
    reveals: [],
  },
  'POST /mail/second-step/:token (code) whole': {
    because: 'link and mailed code together undo the change (ADR 0031)',
    answers: 200,
    changes: [
      'account_codes',
      'audit_log',
      'factor_undos',
      'mfa_challenges 2',
      'mfa_factors',
      'outbox',
      'push_devices',
      'recovery_codes 10',
      'sessions',
    ],
    reveals: [],
  },
}
