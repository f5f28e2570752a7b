import { type Finding, finding } from './findings.ts'
import type { ShownTrader } from './record-source.ts'

/** Two names with one record: a trader is shown the history of another one (A16). */
export function judgeNames(pages: readonly { username: string; shown: ShownTrader | null }[]): Finding[] {
  const named = new Map<string, string>()
  return pages.flatMap(({ username, shown }) => {
    const name = username.toLowerCase()
    const first = shown ? named.get(shown.record) : undefined
    if (shown && first === undefined) named.set(shown.record, name)
    return shown && first !== undefined && first !== name
      ? [finding('A16', `The site shows ${username} the record of ${first}`, { record: shown.record })]
      : []
  })
}
