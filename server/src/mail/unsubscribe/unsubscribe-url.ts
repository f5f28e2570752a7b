/** Where the routes live; the token stands for one person and one trader and nothing else. */
export const UNSUBSCRIBE_PATH = '/mail/unsubscribe/:token'

/**
 * Ways that the pages of a link offer beside that: stop the mails about all traders, and take either back (rule G-120). Mail programs post to the link
 * itself, so one click goes on to mean one trader (RFC 8058).
 */
export const UNSUBSCRIBE_WAYS = ['all', 'undo', 'undo-all'] as const
export type UnsubscribeWay = (typeof UNSUBSCRIBE_WAYS)[number]

export function unsubscribeUrl(origin: string, token: string): string {
  return `${origin}${UNSUBSCRIBE_PATH.replace(':token', token)}`
}

/** @param token as it is looked up: letters, digits, `_` and `-` */
export function wayPath(token: string, way: UnsubscribeWay): string {
  return `${unsubscribeUrl('', token)}/${way}`
}
