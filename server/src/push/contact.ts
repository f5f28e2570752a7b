import type { Settings } from '../platform/settings.ts'

/** Whom a push service can ask about our messages (RFC 8292 section 2.1): the operator, else where our mails come from. */
export function contactOf({ mail, operatorEmail }: Pick<Settings, 'mail' | 'operatorEmail'>): string {
  const address = operatorEmail ?? /<([^>]+)>/.exec(mail.from)?.[1] ?? mail.from
  return `mailto:${address.trim()}`
}
