/** Longest encoded line; a soft break or an encoded last blank still fits into the 76 that RFC 2045 section 6.7 allows. */
const LINE = 73

/**
 * Quoted-printable, in ASCII with CRLF line ends. Everything but plain letters that could mean something to a mail
 * server or an odd gateway is encoded: no line of the result begins with a dot, and no bare CR or LF comes through.
 * @param whole words that no soft break may cut, so that they can be replaced afterwards
 */
export function quotedPrintable(text: string, whole: string[]): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => encodeLine(line, whole))
    .join('\r\n')
}

function encodeLine(line: string, whole: string[]): string {
  const lines: string[] = []
  let current = ''
  for (const atom of atoms(line, whole)) {
    if (current.length + atom.length > LINE) {
      lines.push(`${current}=`)
      current = ''
    }
    current += current === '' && atom === '.' ? '=2E' : atom
  }
  lines.push(current.replace(/[ \t]$/, encodeBytes))
  return lines.join('\r\n')
}

function atoms(line: string, whole: string[]): string[] {
  const cut = whole.length > 0 ? line.split(new RegExp(`(${whole.join('|')})`)) : [line]
  return cut.flatMap((part) => (whole.includes(part) ? [part] : Array.from(part, encodeCharacter)))
}

function encodeCharacter(character: string): string {
  return /^[\x20-\x3c\x3e-\x7e\t]$/.test(character) ? character : encodeBytes(character)
}

function encodeBytes(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}
