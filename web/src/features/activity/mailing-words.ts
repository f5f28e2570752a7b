import type { Mailing } from '@tradepost/contract/activity'

/** About when the reader's mail was taken by the mail server; the figure is an estimate (ADR 0062). */
export function mailedWords(seconds: number): string {
  if (seconds < 1) return 'Mailed to you within about a second of publishing'
  return `Mailed to you about ${spanWords(seconds)} after publishing`
}

/** How the mails of an event went, for its trader. */
export function mailingWords({ done, halfSeconds, mostSeconds, sent }: Mailing): string {
  const mails = sent === 1 ? '1 mail' : `${sent.toLocaleString('en-US')} mails`
  if (!done) return sent === 0 ? 'Mails are on their way' : `${mails} so far, more are on their way`
  if (halfSeconds === null || mostSeconds === null) return 'Nobody to mail'
  if (sent === 1) return `${mails}, within ${exactWords(mostSeconds)}`
  return `${mails}, half within ${exactWords(halfSeconds)}, 95 % within ${exactWords(mostSeconds)}`
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Whole seconds, or the largest unit alone. */
function spanWords(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${seconds} s`
  if (seconds < 2 * HOUR) return `${Math.round(seconds / MINUTE)} min`
  return `${Math.round(seconds / HOUR)} h`
}

/** Tenths of a second, as long as they mean something. */
function exactWords(seconds: number): string {
  return seconds < 2 * MINUTE ? `${seconds.toFixed(1)} s` : spanWords(Math.ceil(seconds))
}
