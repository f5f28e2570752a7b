/** Fields by name in small letters: of a header (RFC 5322), or of a group of a report (RFC 3464 section 2.1, RFC 5965 section 3). */
export type Fields = ReadonlyMap<string, string>

/** Far more than any report has. */
const MOST_FIELDS = 200
const MOST_GROUPS = 50
const LONGEST_VALUE = 2000

/**
 * Reads fields until an empty line. A line that begins with a space goes on with the one before; a line that is no field is left out. Of
 * fields of one name the first holds.
 * @param lines from which `from` is read, and before `to`
 * @returns them, and where the next thing begins
 */
export function readFields(
  lines: readonly string[],
  from = 0,
  to = lines.length,
): { fields: Fields; next: number } {
  const fields = new Map<string, string>()
  let name: string | null = null
  let at = from
  for (; at < to; at += 1) {
    const line = lines[at] ?? ''
    if (line.trim() === '') break
    if (/^[ \t]/.test(line)) {
      const before = name === null ? undefined : fields.get(name)
      if (name !== null && before !== undefined && before.length < LONGEST_VALUE)
        fields.set(name, `${before} ${line.trim()}`.slice(0, LONGEST_VALUE))
      continue
    }
    const colon = line.indexOf(':')
    const key = line.slice(0, colon).trimEnd()
    name = null
    if (colon < 1 || !/^[!-9;-~]{1,100}$/.test(key)) continue
    const lower = key.toLowerCase()
    if (fields.has(lower) || fields.size === MOST_FIELDS) continue
    name = lower
    fields.set(name, line.slice(colon + 1, colon + LONGEST_VALUE).trim())
  }
  return { fields, next: at + 1 }
}

/** The groups of fields of a part of a report, which stand between empty lines. */
export function readGroups(part: string): Fields[] {
  const lines = part.split('\n', 20 * MOST_FIELDS)
  const groups: Fields[] = []
  for (let at = 0; at < lines.length && groups.length < MOST_GROUPS; ) {
    const { fields, next } = readFields(lines, at)
    if (fields.size > 0) groups.push(fields)
    at = next
  }
  return groups
}
