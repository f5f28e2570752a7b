/** A line of an operator's page: its heading in a column, and the facts that are known. */
export function line(heading: string, ...facts: (string | null | false)[]): string {
  return `${`${heading}:`.padEnd(16)}${facts.filter((fact) => fact !== null && fact !== false).join(', ')}`
}

/** An instant to the second, in UTC. */
export function at(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** People typed or sent it: whatever could draw on a terminal is cut out. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '')
}
