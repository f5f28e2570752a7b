/** A group of fields of a report, by name in small letters (RFC 3464 section 2.1, RFC 5965 section 3). */
export type Fields = ReadonlyMap<string, string>

/** Far more than any report has. */
const MOST_FIELDS = 200

/**
 * The fields of a message/delivery-status or message/feedback-report part. Groups stand between empty lines; a line that begins with
 * a space goes on with the one before. What is no field is left out.
 */
export function readFields(part: string): Fields[] {
  const groups: Map<string, string>[] = []
  let group: Map<string, string> | null = null
  let name = ''
  for (const line of part.split(/\r?\n/).slice(0, MOST_FIELDS)) {
    if (line.trim() === '') {
      group = null
      continue
    }
    if (!group) {
      group = new Map()
      groups.push(group)
      name = ''
    }
    const [, key, value = ''] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? []
    if (key) {
      name = key.toLowerCase()
      group.set(name, value.trim())
    } else if (name !== '' && /^[ \t]/.test(line)) group.set(name, `${group.get(name)} ${line.trim()}`)
  }
  return groups
}
