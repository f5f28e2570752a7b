import type { Area, Kind, Statement } from './acceptance-list.ts'
import { readTests } from './test-titles.ts'

/** A test as it is written, what its file can see, and the ids that it carries as tags. */
export type ProvingTest = {
  file: string
  kinds: readonly Kind[]
  ids: readonly string[]
  titles: readonly string[]
}

export type Register = {
  areas: readonly Area[]
  reasons: Readonly<Record<string, readonly string[]>>
  tests: readonly ProvingTest[]
}

/**
 * A test can prove only what its file can see: a browser, answers of the product over HTTP, mails that were rendered or received, or a
 * library at work. The folder, and the helpers that the file uses, decide which.
 */
const SEEN_BY: readonly (readonly [Kind, file: RegExp, text: RegExp])[] = [
  ['browser', /^e2e\//, /./],
  ['wire', /^server\//, /\/(build-test-app|billing-scenario|payments-scenario|push-scenario)\.ts'/],
  ['mailbox', /^emails\//, /./],
  ['mailbox', /^server\//, /from 'postal-mime'|\/(delivery-scenario|counting-sink|run-outbox)\.ts'/],
  ['mailbox', /^e2e\//, /\bmailbox\b/],
  ['library', /^(contract|record|e2e|web)\//, /./],
  ['library', /^server\//, /from '@supabase\/auth-js'/],
]

/** The file that a statement of each kind needs for its test, in words. */
const NEEDED: Readonly<Record<Kind, string>> = {
  browser: 'a journey in e2e/',
  wire: 'a test in server/ that calls the product over HTTP',
  mailbox: 'a test that reads a rendered or a received mail',
  library: 'a test in contract/, web/ or e2e/, or of the sign-in client in server/',
}

/** An id as a tag; other tags, such as `phone`, are none. */
const ID = /^[A-Z]+-\d+$/
/** Ids of statements, rules, faults or attacks in front of a title, as they once stood there. */
const LABELS = /^(?:[A-Z]+-?\d+ )*[A-Z]+-?\d+: /
/** How many titles of a table of cases are shown; all would fill a page. */
const SHOWN = 3

/** The tests of a file, with the statements that they prove. */
export function readProvingTests(file: string, text: string): ProvingTest[] {
  const kinds = SEEN_BY.filter(([, folder, sees]) => folder.test(file) && sees.test(text)).map(
    ([kind]) => kind,
  )
  return readTests(file, text).map(({ titles, tags }) => ({
    file,
    kinds: [...new Set(kinds)],
    ids: tags.filter((tag) => ID.test(tag)),
    titles,
  }))
}

/**
 * The faults of a register, a sentence each: a statement with neither test nor reason, with both, with two tests, or with one that cannot
 * prove a statement of its kind; a test or a reason that names an unknown id; an id in a title; an id listed twice.
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
    ...statements.flatMap((statement) => faultsOf(statement, tests, excused)),
    ...tests.flatMap(({ file, ids, titles }) => [
      ...ids.filter((id) => !known.has(id)).map((id) => `${file} names ${id}, which is not in the list.`),
      ...titles
        .filter((title) => anywhere.test(title) || LABELS.test(title))
        .map((title) => `${file}: an id is a tag of its test, not a part of the title "${title}".`),
    ]),
  ]
}

function faultsOf(
  [id, kind]: Statement,
  tests: readonly ProvingTest[],
  excused: readonly string[],
): string[] {
  const carrying = tests.filter(({ ids }) => ids.includes(id))
  const [test, second] = carrying
  if (!test) return excused.includes(id) ? [] : [`${id} has neither a test nor a reason.`]
  if (excused.includes(id)) return [`${id} has a test and a reason why it has none.`]
  if (second) return [`${id} is decided by one test, not by ${carrying.map(where).join(' and ')}.`]
  return test.kinds.includes(kind) ? [] : [`${id} needs ${NEEDED[kind]}, which ${where(test)} is not.`]
}

function where({ file, titles }: ProvingTest): string {
  return `"${titles[0]}" of ${file}`
}

function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

/**
 * The register as text for a terminal: each statement with its test, or with the reason why it has none.
 * @param only ids to print; all where there are none
 */
export function printRegister(register: Register, only: readonly string[] = []): string {
  const parts = register.areas.flatMap(([title, all]) => {
    const statements = all.filter(([id]) => only.length === 0 || only.includes(id))
    if (statements.length === 0) return []
    return [`${title}\n\n${statements.map((one) => printStatement(one, register)).join('\n')}`]
  })
  return parts.join('\n')
}

function printStatement([id, kind, statement]: Statement, { tests, reasons }: Register): string {
  const proofs = tests
    .filter(({ ids }) => ids.includes(id))
    .map(({ file, titles }) => `  ${file}: ${joinTitles(titles)}\n`)
  const excuses = Object.keys(reasons)
    .filter((reason) => reasons[reason]?.includes(id))
    .map((reason) => `  No test: ${reason}.\n`)
  return `${id} (${kind}) ${statement}\n${[...proofs, ...excuses].join('')}`
}

function joinTitles(titles: readonly string[]): string {
  const shown = [...new Set(titles.map(printable))]
  const more = shown.length - SHOWN
  return [...shown.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join(' · ')
}

/** Titles are words of ours, but not always printable: a table of cases may hold half an emoji. */
function printable(title: string): string {
  return title.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '…')
}
