import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBareText } from './bare-text.ts'

const root = join(import.meta.dirname, '..')

test('no text of the web app stands bare, where a translator would take it from under React', () => {
  expect(findBareText(root)).toEqual([])
})

/** Each line is one file of an app that is made for it; the comment of a fault names the fault. */
const PLANTED = {
  'beside something conditional': 'export const A = () => <p>Price {null}{Date.now() > 0 && <b>now</b>}</p>',
  'a text that changes beside a fixed one': 'export const A = (p: { n: number }) => <p>{p.n} shown</p>',
  'beside an element that is always there': 'export const A = () => <p>Read <b>this</b></p>',
  'in a fragment': 'export const A = () => <>Text</>',
  'whatever somebody gives, beside something':
    'export const A = (p: { children: ReactNode }) => <p>{p.children}<b>x</b></p>',
  'given to a component beside something': 'export const A = () => <B><i />Save</B>',
  'returned by a component': "export function A() { return Date.now() > 0 ? 'Your' : <b>x</b> }",
  'several texts at one place': "export const A = () => <p>{['a', 'b']}</p>",
  'a choice without a value': 'export const A = () => <option>One</option>',
} as const
const SOUND = [
  "export const A = (p: { n: number }) => <p>{[p.n, 'shown'].join(' ')}</p>",
  'export const A = (p: { n: number }) => <p><span>{p.n}</span>{p.n > 0 && <b>now</b>}</p>',
  "export const A = (p: { s: string | null }) => <p>{p.s ?? 'none'}</p>",
  'export const A = (p: { children: ReactElement }) => <p>{p.children}<b>x</b></p>',
  'export const A = () => <B>Save</B>',
  'export const A = (p: { s: string | undefined }) => <p><i />{p.s && <b>{p.s}</b>}</p>',
  'export const A = () => <option value="1">One</option>',
] as const

const HEAD = `import type { ReactElement, ReactNode } from 'react'
export const B = (p: { children: ReactNode }) => <b>{p.children}</b>
`
let planted = ''

beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  planted = mkdtempSync(join(root, '.cache/bare-text-'))
  mkdirSync(join(planted, 'web/src'), { recursive: true })
  const settings = { extends: join(root, 'web/tsconfig.json'), include: ['src'], exclude: [], references: [] }
  writeFileSync(join(planted, 'web/tsconfig.json'), JSON.stringify(settings))
  const sources = [...Object.values(PLANTED), ...SOUND]
  for (const [index, source] of sources.entries())
    writeFileSync(join(planted, `web/src/${String(index).padStart(2, '0')}.tsx`), HEAD + source)
})
afterAll(() => rmSync(planted, { recursive: true }))

test('text is found wherever it stands beside something, and nowhere else', () => {
  const found = findBareText(planted).map((line) => /(\d+)\.tsx/.exec(line)?.[1])
  const expected = Object.keys(PLANTED).map((_, index) => String(index).padStart(2, '0'))
  expect([...new Set(found)]).toEqual(expected)
})
