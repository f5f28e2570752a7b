/** The encodings of a line of a body (RFC 2045 section 6). */
export type Encoding = 'base64' | 'quoted-printable' | null

export function encodingOf(field: string | undefined): Encoding {
  const name = field?.trim().toLowerCase() ?? ''
  return name === 'base64' || name === 'quoted-printable' ? name : null
}

/** @param body a character for each byte. @returns the same; bytes that are no code of the encoding are left as they are */
export function decodeBody(body: string, encoding: Encoding): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('latin1')
  if (encoding === null) return body
  return body
    .replaceAll(/=[ \t]{0,10}\n/g, '')
    .replaceAll(/=([0-9a-f]{2})/gi, (_code, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
}

/** The escape sequence of mail systems that send Japanese without declaring it (RFC 1468). */
const JAPANESE_IN_SEVEN_BITS = '\u001b$'
const JIS = 'iso-2022-jp'
/** Encodings that are sent under the name of JIS, which has seven bits. */
const CALLED_JIS = ['utf-8', 'shift_jis', 'euc-jp']

/**
 * The words of a body in any alphabet, in Unicode: many mail systems name none, or a wrong one.
 * @param body a character for each byte
 * @param charset as the message names it, null for none
 */
export function decodeCharset(body: string, charset: string | null): string {
  const bytes = Buffer.from(body, 'latin1')
  if (body.includes(JAPANESE_IN_SEVEN_BITS)) return decodeAs(JIS, bytes) ?? body
  const name = charset?.toLowerCase() ?? null
  const isNamed = name !== null && !/^(?:us-)?ascii$|^unknown/.test(name)
  const tried = [...(isNamed ? [name] : []), ...(name === JIS ? CALLED_JIS : ['utf-8'])]
  for (const alphabet of tried) {
    const text = decodeAs(alphabet, bytes, true)
    if (text !== null) return text
  }
  return (isNamed ? decodeAs(name, bytes) : null) ?? body
}

/** @returns null where the alphabet is unknown, or where `fatal` is set and the bytes are invalid in it */
function decodeAs(charset: string, bytes: Buffer, fatal = false): string | null {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes)
  } catch {
    return null
  }
}

/** The words of a field whose alphabet it names itself (RFC 2047). @param value a character for each byte */
export function decodeWords(value: string): string {
  return decodeCharset(value, null).replaceAll(
    /=\?([\w-]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?([^?\s]{0,500})\?=(?:\s{1,5}(?==\?))?/gi,
    (_word, charset: string, how: string, content: string) =>
      how.toLowerCase() === 'b'
        ? decodeCharset(decodeBody(content, 'base64'), charset)
        : decodeCharset(decodeBody(content.replaceAll('_', ' '), 'quoted-printable'), charset),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', gt: '>', lt: '<', nbsp: ' ', quot: '"' }

/** The words of an HTML text, one block a line. */
export function textOfHtml(html: string): string {
  return html
    .replaceAll(/<(?:br|p|div|tr|li|h\d|pre)\b[^<>]{0,1000}>/gi, '\n')
    .replaceAll(/<[^<>]{0,1000}>/g, ' ')
    .replaceAll(/&(?:#(\d{1,5})|(amp|gt|lt|nbsp|quot));/g, (_entity, code?: string, name = '') =>
      code ? String.fromCharCode(Number(code)) : (ENTITIES[name] ?? ' '),
    )
}
