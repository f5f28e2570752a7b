import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { webPaths } from '../contract/src/web-paths.ts'
import {
  adrsCitedIn,
  deadLinks,
  filesNamedIn,
  formerReferencesIn,
  isFile,
  listFiles,
  proseOf,
  readSources,
  sectionsCitedIn,
} from './references.ts'

const root = join(import.meta.dirname, '..')
const files = listFiles(root)
const sources = readSources(root).filter(({ path }) => path !== 'scripts/references.test.ts')

test('every file that a page or a comment names exists', () => {
  const missing = sources.flatMap((source) =>
    filesNamedIn(proseOf(source))
      .filter((name) => !isFile(name, files))
      .map((name) => `${source.path} names ${name}`),
  )
  expect([...new Set(missing)]).toEqual([])
})

test('every link of a page leads to a file and a heading that are there', () => {
  const pages = sources.filter(({ path }) => path.endsWith('.md'))
  expect(pages.length).toBeGreaterThan(30)
  // Texts that the product shows lead to its own addresses.
  const addresses: readonly unknown[] = Object.values(webPaths)
  const isShown = (path: string, target: string) =>
    path.startsWith('server/texts/') && addresses.includes(target)
  const dead = pages.flatMap((page) =>
    deadLinks(root, page)
      .filter((target) => !isShown(page.path, target))
      .map((target) => `${page.path}: ${target}`),
  )
  expect(dead).toEqual([])
})

test('every decision of the specification that is cited has a row', () => {
  const page = readFileSync(join(root, 'docs/specification-decisions.md'), 'utf8')
  const rows = [...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, ids = '']) => ids.match(/G-\d+/g) ?? [])
  expect(rows.length).toBeGreaterThan(60)
  expect(rows.length).toBe(new Set(rows).size)
  const cited = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\bG-\d+\b/g)].map(([id]) => ({ path, id })),
  )
  expect(cited.length).toBeGreaterThan(300)
  expect(cited.filter(({ id }) => !rows.includes(id))).toEqual([])
})

test('every decision has its line in the index, and every number a page or a reason', () => {
  const index = readFileSync(join(root, 'docs/decisions/README.md'), 'utf8')
  const listed = [...index.matchAll(/^\| \[(\d{4})\]\((\S+)\) \|/gm)].map(([, number = '', page = '']) => {
    expect(page.startsWith(`${number}-`)).toBe(true)
    return page
  })
  const pages = files.flatMap((path) => path.match(/^docs\/decisions\/(\d{4}-.+)$/)?.[1] ?? [])
  const written = pages.filter((page) => !page.startsWith('0000')).sort()
  expect(listed).toEqual(written)
  const unused = [...index.matchAll(/^\| (\d{4}) \| \S/gm)].map(([, number = '']) => number)
  const numbers = [...written.map((page) => page.slice(0, 4)), ...unused].sort()
  expect(numbers).toEqual(numbers.map((_, place) => String(place + 1).padStart(4, '0')))
  const cited = sources.flatMap(({ path, text }) => adrsCitedIn(text).map((number) => ({ path, number })))
  expect(cited.length).toBeGreaterThan(300)
  expect(cited.filter(({ number }) => !written.some((page) => page.startsWith(number)))).toEqual([])
})

test('every section of the specification that is cited is there', () => {
  const headings = ['docs/specification.md', 'docs/specification-decisions.md'].flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/^#+ (\d(?:\.\d)?)\b/gm)].map(
      ([, number = '']) => number,
    ),
  )
  const cited = sources.flatMap(({ path, text }) => sectionsCitedIn(text).map((number) => ({ path, number })))
  expect(cited.length).toBeGreaterThan(50)
  expect(cited.filter(({ number }) => !headings.includes(number))).toEqual([])
})

test('a page cites by "ADR 0013", "rule G-45" and "section 3.1"', () => {
  const former = sources
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) => formerReferencesIn(text).map((reference) => `${path}: ${reference}`))
  expect(former).toEqual([])
})

test('no text names a place outside of the repository', () => {
  // A folder of ours may be called so.
  const outside = new RegExp(['(^|[^\\w.])', '(\\.\\./)*shared', '/|(?<![\\w./])/work', '/'].join(''), 'm')
  const named = sources.filter(({ text }) => outside.test(text)).map(({ path }) => path)
  expect(named).toEqual([])
})

test('a file that is not there, a dead link and a missing heading are noticed', () => {
  const comment = { path: 'x.ts', text: "const a = 'gone.ts' // see docs/gone.md and platform/clock.ts\n" }
  expect(filesNamedIn(proseOf(comment)).filter((name) => !isFile(name, files))).toEqual(['docs/gone.md'])
  const page = {
    path: 'docs/x.md',
    text: '[a](gone.md) [b](../README.md#two-commands) [c](../README.md#gone)',
  }
  expect(deadLinks(root, page)).toEqual(['gone.md', '../README.md#gone'])
})

test('references are recognised in their forms', () => {
  expect(
    adrsCitedIn('ADR 0013; ADR 0070, 0097 and 0101; decisions 0092 to 0094; ADR 0030 and ADR 0031'),
  ).toEqual(['0013', '0070', '0097', '0101', '0092', '0094', '0030', '0031'])
  expect(
    sectionsCitedIn(
      'docs/specification.md sections 5 and 9; section 3.5; RFC 3463 section 3.8; section 3.1.2',
    ),
  ).toEqual(['5', '9', '3.5'])
  expect(formerReferencesIn('ADR 0013, rule G-45, section 3.1')).toEqual([])
  expect(formerReferencesIn('Decision 0013, decision G-45, decisions 3.1')).toHaveLength(3)
})
