import { createHash } from 'node:crypto'

/**
 * The tag of an answer: a hash of its bytes, so that it changes exactly when they do, and two people with different
 * answers at one address never share one. Weak, since the same answer also leaves compressed.
 */
export function entityTag(answer: string): string {
  return `W/"${createHash('sha256').update(answer).digest('base64url')}"`
}

/** Whether a browser has an answer already. @param header `If-None-Match` as it came, a list or `*` */
export function isKnown(tag: string, header: string | undefined): boolean {
  const bare = (one: string) => one.trim().replace(/^W\//, '')
  const known = header?.split(',').map(bare) ?? []
  return known.includes('*') || known.includes(bare(tag))
}
