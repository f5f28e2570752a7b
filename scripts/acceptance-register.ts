import type { Area, Statement } from './acceptance-list.ts'

/** A test and the ids at the beginning of its title, `NAV-18 NAV-19 @phone: what must be so`. */
export type ProvingTest = { file: string; ids: readonly string[]; says: string }

export type Register = {
  areas: readonly Area[]
  reasons: Readonly<Record<string, readonly string[]>>
  tests: readonly ProvingTest[]
}

/** An id of the list, of a rule (`G-10`) or of a fault or attack (`R5`, `S16`), or a tag. */
const LABEL = '(?:[A-Z]+-?\\d+|@[a-z]+)'
const LABELS = new RegExp(`^(?:${LABEL} )*${LABEL}: `)
/** Journeys in a real browser. */
const JOURNEYS = 'e2e/'
/** How many titles of one file are shown below a statement; a table of cases would fill a whole page. */
const SHOWN = 3

/** @param title whole, as the runner prints it */
export function readTitle(file: string, title: string): ProvingTest {
  const labels = LABELS.exec(title)?.[0] ?? ''
  return { file, ids: labels.match(/[A-Z]{2,}-\d+/g) ?? [], says: title.slice(labels.length) }
}

/**
 * What is wrong with a register, a sentence each: a statement with neither test nor reason, one with both, a title or a
 * reason that names an unknown id, an id in the middle of a title, an id listed twice. A statement about what a person
 * sees in a browser is proved by a journey alone.
 */
export function findFaults({ areas, reasons, tests }: Register): string[] {
  const statements = areas.flatMap(([, rows]) => rows)
  const known = new Set(statements.map(([id]) => id))
  const excused = Object.values(reasons).flat()
  const prefixes = new Set([...known].map((id) => id.split('-')[0]))
  const anywhere = new RegExp(`\\b(?:${[...prefixes].join('|')})-\\d+\\b`)
  return [
    ...repeated(statements.map(([id]) => id)).map((id) => `${id} is listed twice.`),
    ...repeated(excused).map((id) => `${id} has two reasons.`),
    ...excused.filter((id) => !known.has(id)).map((id) => `A reason names ${id}, which is not in the list.`),
    ...statements.flatMap((statement) => faultOf(statement, tests, excused)),
    ...tests.flatMap(({ file, ids, says }) => [
      ...ids.filter((id) => !known.has(id)).map((id) => `${file} names ${id}, which is not in the list.`),
      ...(anywhere.test(says) ? [`${file}: ids stand first and end with a colon, not as in "${says}".`] : []),
    ]),
  ]
}

function faultOf([id, kind]: Statement, tests: readonly ProvingTest[], excused: readonly string[]): string[] {
  const proved = tests.some((test) => test.ids.includes(id) && (kind !== 'browser' || isJourney(test)))
  if (proved && excused.includes(id)) return [`${id} has a test and a reason why it has none.`]
  if (proved || excused.includes(id)) return []
  return [`${id} has neither a ${kind === 'browser' ? 'journey' : 'test'} nor a reason.`]
}

function isJourney({ file }: ProvingTest): boolean {
  return file.startsWith(JOURNEYS)
}

function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

const PREFACE = `# Acceptance

What the product must do, and the tests that prove it. Written by \`node scripts/acceptance.ts --write\` from
\`scripts/acceptance-list.ts\` and the titles of the tests; \`npm run check\` refuses a statement without a test, a title that
names an unknown one, and a page that is out of date. The word behind an id says where the statement is to be seen: in a
browser (then a journey in \`e2e/\` proves it), on the wire, in a mailbox, or in the behaviour of a library. Rules such as
G-14 are told in [specification-decisions.md](specification-decisions.md).
`

/** The text of docs/acceptance.md. */
export function writeRegister(register: Register): string {
  const parts = register.areas.map(
    ([title, statements]) =>
      `## ${title}\n\n${statements.map((one) => writeStatement(one, register)).join('\n')}`,
  )
  return `${[PREFACE, ...parts].join('\n')}`
}

function writeStatement([id, kind, statement]: Statement, { tests, reasons }: Register): string {
  const files = Map.groupBy(
    tests.filter(({ ids }) => ids.includes(id)),
    ({ file }) => file,
  )
  const proofs = [...files]
    .sort(([a], [b]) => Number(b.startsWith(JOURNEYS)) - Number(a.startsWith(JOURNEYS)) || (a < b ? -1 : 1))
    .map(([file, found]) => `- [${file}](../${file}): ${sayAll(found)}\n`)
  const excuses = Object.keys(reasons)
    .filter((reason) => reasons[reason]?.includes(id))
    .map((reason) => `- No test: ${reason}.\n`)
  return `**${id}** (${kind}) ${statement}\n${[...proofs, ...excuses].join('')}`
}

function sayAll(tests: readonly ProvingTest[]): string {
  const said = [...new Set(tests.map(say))]
  const more = said.length - SHOWN
  return [...said.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join(' · ')
}

/** Titles are words of ours, but neither Markdown nor always printable: a table of cases may hold half an emoji. */
function say({ says }: ProvingTest): string {
  return says
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{C}/gu, '…')
    .replaceAll(/[\\`*_[\]<>|]/g, '\\$&')
}
