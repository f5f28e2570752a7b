import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Folders that are not written by hand, or not ours. */
const IGNORED = new Set(['node_modules', 'dist', 'data', 'test-results', '.git', '.cache'])
const TEXTS = /\.(ts|tsx|mjs|cjs|css|sql|html|md|json)$|^\.env\.example$|^\.ci\/run$/

/** A file's path from the root of the repository, and its text. */
export type Source = { path: string; text: string }

/** Every text of the repository, the lock files apart. */
export function readSources(root: string): Source[] {
  return listFiles(root)
    .filter((path) => TEXTS.test(path) && !path.endsWith('package-lock.json'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Paths from the root, with `/`; folders of tools and of builds left out. */
export function listFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (IGNORED.has(entry.name)) return []
    return entry.isDirectory() ? listFiles(root, path) : [path]
  })
}

/**
 * The prose of a text: all of a page, and of a program its comments. Not exact (a `//` in a string counts as one), which costs nothing
 * here: an address is no path of ours.
 */
export function proseOf({ path, text }: Source): string {
  if (path.endsWith('.md')) return text
  const comments = text.matchAll(/\/\*[\s\S]*?\*\/|(?:\/\/|--|(?<=^|\s)#(?!\w)).*$/gm)
  return [...comments].map((match) => match[0].replace(/^\s*(\*|\/\/)/gm, '')).join('\n')
}

const NAMED = /(?<![\w/.<>*@#:~$-])(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|tsx|mjs|cjs|sql|md)(?![\w/(]|\.\w)/g

/** The files that prose names, such as `platform/clock.ts`: in full, or as the end of a path. */
export function filesNamedIn(prose: string): string[] {
  const withoutAddresses = prose.replace(/https?:\/\/\S+/g, '')
  return [...withoutAddresses.matchAll(NAMED)].map((match) => match[0])
}

/** Whether a file of that path, or one whose path ends so, is there; links of pages are checked to the letter beside it. */
export function isFile(name: string, files: readonly string[]): boolean {
  const plain = name.replace(/^(\.\.?\/)+/, '')
  return files.some((path) => path === plain || path.endsWith(`/${plain}`))
}

/** Links of a page to files and headings of the repository that are not there. */
export function deadLinks(root: string, { path, text }: Source): string[] {
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const [file = '', heading] = target.split('#')
    const to = file === '' ? path : normalize(join(dirname(path), file))
    if (!existsSync(join(root, to))) return [target]
    if (heading === undefined || headings(readFileSync(join(root, to), 'utf8')).includes(heading)) return []
    return [target]
  })
}

/** The anchors that GitHub makes of a page's headings. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** A number of four digits, or several: `0070`, `0070, 0097 and 0101`, `0092 to 0094`. */
const NUMBERS = /\d{4}(?:(?:,? and |, | to |, ADR | and ADR )\d{4})*/

/** The numbers of pages of docs/decisions that a text cites, as `ADR 0013` or in the former form `decision 0013`. */
export function adrsCitedIn(text: string): string[] {
  const cited = new RegExp(`\\b(?:ADRs?|[Dd]ecisions?)\\s+(?:\\* )?(${NUMBERS.source})\\b`, 'g')
  return [...text.matchAll(cited)].flatMap(([, numbers = '']) => numbers.match(/\d{4}/g) ?? [])
}

/**
 * The sections that a text cites: `4` of docs/specification.md, `3.1` of docs/specification-decisions.md. Sections of other
 * documents, such as `RFC 2920 section 3.1`, are left out.
 */
export function sectionsCitedIn(text: string): string[] {
  const ours =
    /docs\/specification\.md\s+(?:\*\s+)?sections? (\d)(?: and (\d))?|(?<!RFC \d+ |: )\bsections? ([3]\.\d)(?![.\d])/g
  return [...text.matchAll(ours)].flatMap(([, ...numbers]) =>
    numbers.filter((number) => number !== undefined),
  )
}

/** References of a page in a form that pages no longer use: "decision 0013", "decision G-45", "decisions 3.1". */
export function formerReferencesIn(text: string): string[] {
  return text.match(/\b[Dd]ecisions?\s+(?:\d{4}|G-\d+|\d\.\d)/g) ?? []
}
