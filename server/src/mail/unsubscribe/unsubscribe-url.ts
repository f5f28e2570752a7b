/** Where the routes live; the token stands for one subscription and nothing else. */
export const UNSUBSCRIBE_PATH = '/mail/unsubscribe/:token'

export function unsubscribeUrl(origin: string, token: string): string {
  return `${origin}${UNSUBSCRIBE_PATH.replace(':token', token)}`
}
