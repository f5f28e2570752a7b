import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadLinks, filesNamedIn, isFile, listFiles, proseOf, readSources } from './references.ts'

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
  const dead = pages.flatMap((page) => deadLinks(root, page).map((target) => `${page.path}: ${target}`))
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
  const cited = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\bdecisions? (00\d\d)\b(?:(?:,| and) (00\d\d)\b)?/g)].flatMap(([, ...all]) =>
      all.filter((number) => number !== undefined).map((number) => ({ path, number })),
    ),
  )
  expect(cited.length).toBeGreaterThan(20)
  expect(cited.filter(({ number }) => !written.some((page) => page.startsWith(number)))).toEqual([])
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
