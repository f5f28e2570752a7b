/*
 * The acts that another person's value allows, by call, place and value: everything that is not here is refused, reveals nothing
 * of the other person and changes nothing of theirs. `whole` is a request that is the other person's in all its parts.
 */

const BY_NAME = 'it is public, and asked for by name'
const OWN_LIST = 'it names where a list begins, and the list is the sender’s own'
const ANY_SEARCH = 'it looks for whatever is typed'
const MADE_UP = 'a client draws it as it likes, and nothing is looked up by it'

/** Done, and harmless. Each with its reason. */
export const HARMLESS: Readonly<Record<string, string>> = {
  'search query.username < username': BY_NAME,
  'profile query.username < username': BY_NAME,
  'closedPositions params.username < username': BY_NAME,
  'trackRecord params.username < username': BY_NAME,
  'subscriptionCheck params.id < username': 'it answers how the sender stands to a trader',
  'newSubscription body.username < username':
    'everybody may follow a trader who can be paid; nothing is theirs before it is paid',
  'suggestions query.username < anything': ANY_SEARCH,
  'symbols query.query < anything': ANY_SEARCH,
  'closedPositions query.symbol < anything': ANY_SEARCH,
  'closedPositions query.after < place among closed positions': OWN_LIST,
  'closedPositions whole': OWN_LIST,
  'activity (otherwise) query.after < place in Activity': OWN_LIST,
  'activity (otherwise) whole': OWN_LIST,
  'activity (otherwise) query.trader < anything':
    'it narrows the list, which is the sender’s own, to one trader’s part',
  'feed headers.last-event-id < anything': OWN_LIST,
  'markActivityRead body.seen < what is unread':
    'it is what the sender has seen, of traders whom they follow',
  'preview body.symbol < open ticker':
    'prices are public, and the typed symbol reveals nothing of its holders',
  'setUsername body.username < anything': 'a name that nobody has may be taken',
  'turnOffPush params.id < anything':
    'a device that is not the sender’s is answered like one that is off already',
  'turnOnPush body.endpoint < anything': 'a browser’s address is looked at when something is sent to it',
  'POST /push/renew body.subscription.endpoint < anything':
    'a browser’s address is looked at when something is sent to it',
  'turnOnPush body.keys.p256dh < key of the browser': MADE_UP,
  'turnOnPush body.keys.auth < anything': MADE_UP,
  'sendFeedback body.feedback < feedback': 'the sender writes it',
  'openPosition body.openNotes < feedback': 'the sender writes it',
  'setAbout body.about < feedback': 'the sender writes it',
  'addDiscountCode body.code < anything': MADE_UP,
  'addDiscountCode whole': MADE_UP,
  'closePosition body.closeNotes < feedback': 'the sender writes it',
  'PUT /auth/v1/user body.data.nickname < feedback': 'the sender writes it',
  'POST /auth/v1/factors body.friendly_name < feedback': 'the sender writes it',
  'POST /auth/v1/factors body.issuer < feedback': 'the sender writes it',
  'POST /auth/v1/otp body.code_challenge < anything': MADE_UP,
  'POST /auth/v1/resend body.code_challenge < anything': MADE_UP,
  'POST /auth/v1/recover body.code_challenge < anything': MADE_UP,
  'POST /auth/v1/returned body.code_challenge < anything': MADE_UP,
  'POST /auth/v1/returned whole': MADE_UP,
  'POST /auth/v1/otp headers.x-known-device < proof of a known device': 'it counts for its own address alone',
  'POST /auth/v1/resend headers.x-known-device < proof of a known device':
    'it counts for its own address alone',
  'POST /auth/v1/recover headers.x-known-device < proof of a known device':
    'it counts for its own address alone',
  'POST /auth/v1/factors/:id/verify headers.x-known-device < proof of a known device':
    'it counts for its own factor alone',
  'GET /auth/v1/verify query.redirect_to < anything': 'pages of ours alone are led to',
  'POST /push/renew body.token < anything': 'a token of no device is answered like any other',
  'POST /push/off body.token < anything': 'a token of no device is answered like any other',
  'POST /push/renew body.subscription.keys.p256dh < key of the browser': MADE_UP,
  'POST /push/renew body.subscription.keys.auth < anything': MADE_UP,
  'GET /mail/unsubscribe/:token params.token < unsubscribe link':
    'its page names the trader, and changes nothing',
  'GET /mail/unsubscribe/:token params.token < unsubscribe link of a follower':
    'its page names the trader, and changes nothing',
  'GET /mail/unsubscribe/:token/all params.token < unsubscribe link':
    'its page names the trader, and changes nothing',
  'GET /mail/unsubscribe/:token/all params.token < unsubscribe link of a follower':
    'its page names the trader, and changes nothing',
  'GET /mail/unsubscribe/:token/undo params.token < unsubscribe link':
    'its page names the trader, and changes nothing',
  'GET /mail/unsubscribe/:token/undo params.token < unsubscribe link of a follower':
    'its page names the trader, and changes nothing',
  'GET /mail/unsubscribe/:token/undo-all params.token < unsubscribe link':
    'its page names the trader, and changes nothing',
  'GET /mail/unsubscribe/:token/undo-all params.token < unsubscribe link of a follower':
    'its page names the trader, and changes nothing',
  'GET /mail/second-step/:token params.token < undo link':
    'its page shows which change it undoes, and changes nothing',
  'GET /mail/export/:token params.token < export link': 'its page has a button, and names nobody',
}

/** Texts of the sender's own: one of the other person's is enough. */
const FREE_TEXTS = Object.entries(HARMLESS)
  .filter(([, because]) => because === 'the sender writes it')
  .map(([key]) => key)

/** Few wrong codes close these, so that codes alone are tried there. */
const FEW_TRIES = [
  'POST /auth/v1/verify body.token',
  'PUT /auth/v1/user body.nonce',
  'POST /auth/v1/factors/:id/verify body.code',
  'POST /mail/second-step/:token (code) body.code',
]

export const takesFewTries = (place: string) => FEW_TRIES.includes(place)

/** Whether a value means something in a place. */
export function belongsAt(place: string, of: string): boolean {
  if (takesFewTries(place)) return of.endsWith(' code')
  if (place.endsWith('headers.x-known-device')) return of === 'proof of a known device'
  return !FREE_TEXTS.some((free) => free.startsWith(`${place} <`)) || of === 'feedback'
}
