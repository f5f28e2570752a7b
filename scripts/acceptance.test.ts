import { expect, test } from 'vitest'
import type { Area } from './acceptance-list.ts'
import { findFaults, readTitle, writeRegister } from './acceptance-register.ts'
import { readTestTitles } from './test-titles.ts'

const areas: readonly Area[] = [
  [
    'Doors',
    [
      ['DOOR-01', 'browser', 'The door `opens`.'],
      ['DOOR-02', 'wire', 'It closes.'],
    ],
  ],
]
const journey = readTitle('e2e/door.spec.ts', 'DOOR-01 @phone: it opens')
const call = readTitle('server/src/door.test.ts', 'DOOR-02 S5: it closes')

function faults(changes: Partial<Parameters<typeof findFaults>[0]>): string[] {
  return findFaults({ areas, reasons: {}, tests: [journey, call], ...changes })
}

test('a register in which each statement has a test is in order', () => {
  expect(faults({})).toEqual([])
})

test('a statement needs a test or a reason, and not both', () => {
  expect(faults({ tests: [journey] })).toEqual(['DOOR-02 has neither a test nor a reason.'])
  expect(faults({ tests: [journey], reasons: { 'it comes later': ['DOOR-02'] } })).toEqual([])
  expect(faults({ reasons: { 'it comes later': ['DOOR-02'] } })).toEqual([
    'DOOR-02 has a test and a reason why it has none.',
  ])
})

test('what a person sees in a browser is proved by a journey alone', () => {
  const component = readTitle('web/src/door.test.tsx', 'DOOR-01: it opens')
  expect(faults({ tests: [component, call] })).toEqual(['DOOR-01 has neither a journey nor a reason.'])
})

test('an id that is not in the list is told, in a title and in a reason', () => {
  const stray = readTitle('e2e/wall.spec.ts', 'WALL-01 DOOR-01: it stands')
  expect(faults({ tests: [stray, call] })).toEqual([
    'e2e/wall.spec.ts names WALL-01, which is not in the list.',
  ])
  expect(faults({ reasons: { 'it comes later': ['DOOR-03'] } })).toEqual([
    'A reason names DOOR-03, which is not in the list.',
  ])
})

test('an id proves nothing in the middle of a title, without its colon, or listed twice', () => {
  for (const title of ['it opens (DOOR-01)', 'DOOR-01 it opens', 'as quickly as DOOR-01: it opens']) {
    const late = readTitle('e2e/door.spec.ts', title)
    expect(faults({ tests: [late, call] })).toEqual([
      'DOOR-01 has neither a journey nor a reason.',
      `e2e/door.spec.ts: ids stand first and end with a colon, not as in "${title}".`,
    ])
  }
  expect(faults({ areas: [...areas, ...areas] })).toEqual([
    'DOOR-01 is listed twice.',
    'DOOR-02 is listed twice.',
  ])
  expect(faults({ tests: [journey], reasons: { early: ['DOOR-02'], late: ['DOOR-02'] } })).toEqual([
    'DOOR-02 has two reasons.',
  ])
})

test('the page tells each statement with its tests, journeys first, or why there is none', () => {
  const tests = [
    ...['a', 'b', 'c', 'd', 'd'].map((word) =>
      readTitle('contract/src/door.test.ts', `DOOR-01: <${word}>\ud83d`),
    ),
    journey,
  ]
  const page = writeRegister({ areas, reasons: { 'it comes later': ['DOOR-02'] }, tests })
  expect(page).toContain(`## Doors

**DOOR-01** (browser) The door \`opens\`.
- [e2e/door.spec.ts](../e2e/door.spec.ts): it opens
- [contract/src/door.test.ts](../contract/src/door.test.ts): \\<a\\>… · \\<b\\>… · \\<c\\>… · and 1 more

**DOOR-02** (wire) It closes.
- No test: it comes later.
`)
})

const SOURCE = `
const rows = [
  ['DOOR-01', { status: 500 }, 'loud'],
  ['DOOR-02', null, -1],
] as const
test('DOOR-01: plain', async () => {
  test.step('no test of its own')
})
test(\`DOOR-02: in a \${known} and \${unknown}\`, () => {})
test.skip('DOOR-03: skipped', () => {})
test.each(rows)('%s: %j, %s', () => {})
test.each([{ id: 'DOOR-04' }, { id: \`DOOR-05\` }])('$id: by name', () => {})
test.each(['oak', 'ash'] as const)(
  'DOOR-06: of %s',
  () => {},
)
test.each(made(rows))('DOOR-07: %s of a table that is made', () => {})
describe('a door', () => {
  for (const [ids, { width }] of [['DOOR-08', { width: 3 }], ['DOOR-09', { width: 4 }]]) {
    for (const side of ['left', 'right']) test(\`\${ids}: on the \${side}, \${width} wide\`, () => {})
  }
})
`

test('titles are read from the source as the runner makes them; what only a run can tell is left open', () => {
  expect(readTestTitles('door.test.tsx', SOURCE)).toEqual([
    'DOOR-01: plain',
    'DOOR-02: in a … and …',
    'DOOR-01: …, loud',
    'DOOR-02: null, -1',
    'DOOR-04: by name',
    'DOOR-05: by name',
    'DOOR-06: of oak',
    'DOOR-06: of ash',
    'DOOR-07: … of a table that is made',
    'DOOR-08: on the left, … wide',
    'DOOR-08: on the right, … wide',
    'DOOR-09: on the left, … wide',
    'DOOR-09: on the right, … wide',
  ])
})
