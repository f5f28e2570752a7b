import { fromBase64Url } from './bytes.ts'
import { readReceipt } from './receipt.ts'

/** A receipt that stood in a link, and the site it names, `https://host`. */
export type FoundReceipt = { site: string; bytes: Uint8Array }

const LINK = /(https?:\/\/[^\s/"'<>]+)\/verify#([A-Za-z0-9_-]+)/g
const BASE64_PART = /content-transfer-encoding:\s*base64[\s\S]*?\r?\n\r?\n([A-Za-z0-9+/=\s]+)/gi

/**
 * Finds the receipts of a link, of a mail with its headers, or of a text that was copied out of one: quoted-printable, in base64, broken
 * into lines, quoted, or rewritten by a gateway. A link without a receipt that can be read counts only where there is no better one.
 */
export function findReceipts(text: string): FoundReceipt[] {
  const found = new Map<string, FoundReceipt>()
  const unreadable = new Map<string, FoundReceipt>()
  for (const variant of variantsOf(text))
    for (const [, site = '', fragment = ''] of variant.matchAll(LINK)) {
      const bytes = fromBase64Url(fragment) ?? new Uint8Array()
      const isReadable = readReceipt(bytes) !== null
      ;(isReadable ? found : unreadable).set(`${site}#${fragment}`, { site, bytes })
    }
  return [...(found.size > 0 ? found : unreadable).values()]
}

function variantsOf(text: string): string[] {
  const parts = [...text.matchAll(BASE64_PART)].map(([, part = '']) => decodePart(part))
  return [text, ...parts].flatMap((variant) => [
    variant,
    variant.replace(/=\r?\n/g, '').replace(/=3D/gi, '='),
    variant.replace(/\r?\n(?:> ?)*/g, (end, at: number) =>
      isBlankAfter(variant, at) ? '\n\n' : end.slice(0, 0),
    ),
    variant.replace(/%3A/gi, ':').replace(/%2F/gi, '/').replace(/%23/g, '#'),
  ])
}

/** An empty line ends a link that was broken into lines. */
function isBlankAfter(text: string, at: number): boolean {
  return /^\r?\n(?:> ?)*(\r?\n|$)/.test(text.slice(at, at + 20))
}

function decodePart(part: string): string {
  try {
    return atob(part.replace(/\s/g, ''))
  } catch {
    return ''
  }
}
