/** RFC 5322 section 2.1.1 asks for at most 78 characters, RFC 2047 section 2 for 76 on a line with an encoded word. */
const LINE = 76
/** The length of text in bytes: 64 characters as an encoded word, so that the first one fits behind the name of its field. */
const ENCODED = 39

/**
 * A header field, folded at blanks (RFC 5322 section 2.2.3). A word that a line of its own could not hold stays where it is: its line
 * would be too long there as well.
 * @param field on one line, with its name
 */
export function foldField(field: string): string {
  const lines: string[] = []
  for (const word of field.split(/(?<=\S) (?=\S)/)) {
    const line = lines.at(-1)
    if (line === undefined) lines.push(word)
    else if (line.length + 1 + word.length <= LINE || 1 + word.length > LINE)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\r\n ')
}

/** The value of `To:`, folded as `foldField` does; it runs for every recipient. */
export function recipientValue(address: string): string {
  const isLong = 'To: <>'.length + address.length > LINE && ' <>'.length + address.length <= LINE
  return `${isLong ? '\r\n' : ''} <${address}>`
}

/** A header's words: one line whatever they hold, encoded where they are more than ASCII, or cannot be folded (RFC 2047). */
export function headerText(text: string): string {
  const line = oneLine(text)
  if (isPlain(line)) return line
  const words: string[] = []
  for (const character of line) {
    const last = words.at(-1)
    if (last !== undefined && Buffer.byteLength(last + character) <= ENCODED)
      words[words.length - 1] = last + character
    else words.push(character)
  }
  return words.map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ')
}

/** Whether a header can hold it as it is. */
export function isPlain(line: string): boolean {
  return /^[\x20-\x7e]*$/.test(line) && line.split(' ').every((word) => word.length < LINE / 2)
}

export function oneLine(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ').trim()
}
