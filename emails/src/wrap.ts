/** As wide as mail programs have shown plain text since RFC 1855: quoting it once more does not break its lines. */
const COLUMNS = 72

/** Breaks a paragraph of plain text between words; a word that is longer than a line, such as a link, stays whole. */
export function wrap(paragraph: string): string {
  const lines: string[] = []
  for (const word of paragraph.split(/\s+/)) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= COLUMNS)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

/** The beginning of a paragraph on one line, for the inbox list. */
export function firstWords(paragraph: string): string {
  const line = paragraph.replaceAll(/\s+/g, ' ').trim()
  return line.length > 90 ? `${line.slice(0, 89)}…` : line
}
