import type { Edit } from './mutants.ts'
import { SQL_RULES } from './operators.ts'

const STATEMENT =
  /^.\s*(select|update|insert into|delete from|with|lock table|from|where|exists|not exists|case|coalesce)\b/i

/**
 * The mutants inside of a statement: comparisons, locks, conjuncts, order.
 * @param start where the literal begins in its file
 * @param literal with its quotes
 * @param tagged whether it is a `sql` template; other strings count when they begin as a statement does
 */
export function sqlEdits(start: number, literal: string, tagged: boolean): Edit[] {
  if (!tagged && !STATEMENT.test(literal)) return []
  const text = masked(literal)
  return SQL_RULES.flatMap(({ kind, find, to }) =>
    [...text.matchAll(find)].map((match) => ({
      kind,
      start: start + match.index,
      end: start + match.index + match[0].length,
      to,
    })),
  )
}

/** Each interpolation counts as one word, the `and` of a `between` and the `=` of a `set` are not a condition's. */
function masked(literal: string): string {
  const hide = (found: string) => '§'.repeat(found.length)
  let text = literal.slice(1, -1)
  for (let open = text.indexOf('${'); open >= 0; open = text.indexOf('${')) {
    let depth = 0
    let end = open + 1
    for (; end < text.length; end++) {
      if (text[end] === '{') depth++
      if (text[end] === '}' && --depth === 0) break
    }
    text = text.slice(0, open) + hide(text.slice(open, end + 1)) + text.slice(end + 1)
  }
  text = text
    .replace(/\bbetween\s+\S+\s+and\b/gi, hide)
    .replace(/\bset\s+\w+\s+=(\s+[^=\n]+?,\s+\w+\s+=)*/gi, hide)
    .replace(/'[^']*'/g, hide)
  return `§${text}§`
}
