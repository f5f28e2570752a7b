import { fromBase64Url } from '@tradepost/record/bytes'

/** A link of a mail: its fragment is the receipt. Gateways that rewrite links write its signs as `%2F` and `%23`, mails also as `=23`. */
const LINK = /(?:\/|%2F)verify(?:#|%23|=23)([\w-]+)/gi

/** A part of a mail that is written in base64, from its header to the blank line or the boundary behind it. */
const BASE64_PART = /content-transfer-encoding:\s*base64\b[\s\S]*?\r?\n\r?\n([A-Za-z0-9+/=\s]+)/gi

/** A receipt in a given text; `bytes` null where its characters are none of base64url. */
export type Found = { link: string; bytes: Uint8Array | null }

/**
 * The receipts in a link, a text that holds links, or a whole mail (RFC 5322) with parts in quoted-printable and base64; each once, in
 * their order. A text without any link is taken as a receipt itself, or as the end of a link.
 */
export function findReceipts(text: string): Found[] {
  const parts = [...text.matchAll(BASE64_PART)].map(([, part = '']) => decoded(part))
  const whole = [text, ...parts].map((part) => part.replaceAll(/=\r?\n/g, '')).join('\n')
  const links = new Set([...whole.matchAll(LINK)].map(([, receipt = '']) => receipt))
  const alone = text.replaceAll(/\s/g, '').replace(/^.*#/, '')
  if (links.size === 0 && /^[\w-]{100,}$/.test(alone)) links.add(alone)
  return [...links].map((link) => ({ link, bytes: fromBase64Url(link) }))
}

/** One character a byte: links hold no others. */
function decoded(part: string): string {
  try {
    return atob(part.replaceAll(/\s/g, ''))
  } catch {
    return ''
  }
}
