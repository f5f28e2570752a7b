import { expect, test } from 'vitest'
import type { Area } from './acceptance-list.ts'
import { findFaults, printRegister, readProvingTests } from './acceptance-register.ts'
import { readTests } from './test-titles.ts'

const areas: readonly Area[] = [
  [
    'Doors',
    [
      ['DOOR-01', 'browser', 'The door `opens`.'],
      ['DOOR-02', 'wire', 'It closes.'],
    ],
  ],
]

const HTTP = "import { buildTestApp } from '../test/build-test-app.ts'\n"
const journeys = readProvingTests('e2e/door.spec.ts', "test('it opens', { tag: ['@DOOR-01', '@phone'] }, f)")
const calls = readProvingTests(
  'server/src/door.test.ts',
  `${HTTP}test('it closes', { tags: ['DOOR-02'] }, f)`,
)
const tests = [...journeys, ...calls]

function faults(changes: Partial<Parameters<typeof findFaults>[0]>): string[] {
  return findFaults({ areas, reasons: {}, tests, ...changes })
}

test('a register in which each statement has a test is in order', () => {
  expect(faults({})).toEqual([])
})

test('a statement needs a test or a reason, and not both', () => {
  expect(faults({ tests: journeys })).toEqual(['DOOR-02 has neither a test nor a reason.'])
  expect(faults({ tests: journeys, reasons: { 'it comes later': ['DOOR-02'] } })).toEqual([])
  expect(faults({ reasons: { 'it comes later': ['DOOR-02'] } })).toEqual([
    'DOOR-02 has a test and a reason why it has none.',
  ])
})

test('a statement is decided by one test; a table of cases is one', () => {
  const source = `${HTTP}test.each(['slowly', 'at once'])('it closes %s', { tags: ['DOOR-02'] }, f)`
  const table = readProvingTests('server/src/door.test.ts', source)
  expect(faults({ tests: [...journeys, ...table] })).toEqual([])
  expect(faults({ tests: [...tests, ...table] })).toEqual([
    'DOOR-02 is decided by one test, not by "it closes" of server/src/door.test.ts and "it closes slowly" of server/src/door.test.ts.',
  ])
})

test('a test proves what its file can see, and nothing else', () => {
  const kindsOf = (file: string, head = '') =>
    readProvingTests(file, `${head}test('it opens', f)`).flatMap(({ kinds }) => kinds)
  expect(kindsOf('e2e/door.spec.ts')).toEqual(['browser', 'library'])
  expect(kindsOf('e2e/door.spec.ts', 'async ({ mailbox }) => {}\n')).toEqual([
    'browser',
    'mailbox',
    'library',
  ])
  expect(kindsOf('server/src/door.test.ts')).toEqual([])
  expect(kindsOf('server/src/door.test.ts', HTTP)).toEqual(['wire'])
  const sink = "import { startDeliveryScenario } from '../../test/delivery-scenario.ts'\n"
  expect(kindsOf('server/src/door.test.ts', HTTP + sink)).toEqual(['wire', 'mailbox'])
  expect(kindsOf('server/src/door.test.ts', "import { AuthClient } from '@supabase/auth-js'\n")).toEqual([
    'library',
  ])
  expect(kindsOf('emails/src/door.test.ts')).toEqual(['mailbox'])
  expect(kindsOf('contract/src/door.test.ts')).toEqual(['library'])
  expect(kindsOf('web/src/door.test.tsx')).toEqual(['library'])
  expect(kindsOf('sandbox/src/door.test.ts')).toEqual([])

  const component = readProvingTests('web/src/door.test.tsx', "test('it opens', { tags: ['DOOR-01'] }, f)")
  expect(faults({ tests: [...component, ...calls] })).toEqual([
    'DOOR-01 needs a journey in e2e/, which "it opens" of web/src/door.test.tsx is not.',
  ])
})

test('an id that is not in the list is named, of a test and of a reason', () => {
  const stray = readProvingTests('e2e/wall.spec.ts', "test('it is high', { tag: '@WALL-01' }, f)")
  expect(faults({ tests: [...tests, ...stray] })).toEqual([
    'e2e/wall.spec.ts names WALL-01, which is not in the list.',
  ])
  expect(faults({ reasons: { 'it comes later': ['DOOR-03'] } })).toEqual([
    'A reason names DOOR-03, which is not in the list.',
  ])
})

test('an id in a title is refused, wherever it is, and so are labels in front of one', () => {
  for (const title of ['DOOR-01: it opens', 'it opens (DOOR-01)', 'R5 S16: it opens', 'G-10: it opens']) {
    const labelled = readProvingTests('e2e/door.spec.ts', `test('${title}', f)`)
    expect(faults({ tests: [...tests, ...labelled] })).toEqual([
      `e2e/door.spec.ts: an id is a tag of its test, not a part of the title "${title}".`,
    ])
  }
})

test('an id that is listed twice, or has two reasons, is named', () => {
  expect(faults({ areas: [...areas, ...areas] })).toEqual([
    'DOOR-01 is listed twice.',
    'DOOR-02 is listed twice.',
  ])
  expect(faults({ tests: journeys, reasons: { early: ['DOOR-02'], late: ['DOOR-02'] } })).toEqual([
    'DOOR-02 has two reasons.',
  ])
})

test('each statement is printed with its test, or the reason why there is none', () => {
  const source = "test.each(['a', '<b>', 'c', 'd', 'd'])('%s\\ud83d', { tags: ['DOOR-01'] }, f)"
  const table = readProvingTests('e2e/door.spec.ts', source)
  const register = { areas, reasons: { 'it comes later': ['DOOR-02'] }, tests: table }
  expect(printRegister(register)).toBe(`Doors

DOOR-01 (browser) The door \`opens\`.
  e2e/door.spec.ts: a… · <b>… · c… · and 1 more

DOOR-02 (wire) It closes.
  No test: it comes later.
`)
  expect(printRegister(register, ['DOOR-02'])).toBe(`Doors

DOOR-02 (wire) It closes.
  No test: it comes later.
`)
})

const SOURCE = `
const rows = [
  ['oak', { status: 500 }, 'loud'],
  ['ash', null, -1],
] as const
test('plain', async () => {
  test.step('no test of its own')
})
test(\`in a \${known} and \${unknown}\`, { tags: 'DOOR-01' }, () => {})
test.skip('skipped', { tags: ['DOOR-03'] }, () => {})
test.each(rows)('%s: %j, %s', { timeout: 9, tags: ['DOOR-02', 'DOOR-03'] }, () => {})
test.each([{ wood: 'oak' }, { wood: \`ash\` }])('$wood by name', () => {})
test.each(['oak', 'ash'] as const)(
  'of %s',
  { tags: [computed] },
  () => {},
)
test.each(made(rows))('%s of a table that is made', () => {})
test.concurrent('beside others', () => {})
describe('a door', () => {
  for (const [wood, { width }] of [['oak', { width: 3 }], ['ash', { width: 4 }]]) {
    for (const side of ['left', 'right'])
      test(\`\${wood} on the \${side}, \${width} wide\`, { tag: ['@DOOR-04', '@phone'] }, () => {})
  }
})
`

test('tests are read from the source as the runner names them; titles that only a run can know are left open', () => {
  expect(readTests('door.test.tsx', SOURCE)).toEqual([
    { titles: ['plain'], tags: [] },
    { titles: ['in a … and …'], tags: ['DOOR-01'] },
    { titles: ['oak: …, loud', 'ash: null, -1'], tags: ['DOOR-02', 'DOOR-03'] },
    { titles: ['oak by name', 'ash by name'], tags: [] },
    { titles: ['of oak', 'of ash'], tags: ['…'] },
    { titles: ['… of a table that is made'], tags: [] },
    { titles: ['beside others'], tags: [] },
    {
      titles: [
        'oak on the left, … wide',
        'oak on the right, … wide',
        'ash on the left, … wide',
        'ash on the right, … wide',
      ],
      tags: ['DOOR-04', 'phone'],
    },
  ])
})
