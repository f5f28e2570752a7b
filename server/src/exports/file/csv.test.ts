import { expect, test } from 'vitest'
import { csvHead, csvLine } from './csv.ts'

const columns = {
  name: 'text',
  note: 'text?',
  gain: 'decimal',
  change: 'json?',
  count: 'count',
  done: 'flag',
} as const
const row = { name: 'maria', note: null, gain: '1', change: null, count: 1, done: true }
const line = (values: object) => csvLine(columns, { ...row, ...values })

test('a table begins with a byte order mark and its columns, and its lines end as RFC 4180 has it', () => {
  expect(csvHead(columns)).toBe('\uFEFFname,note,gain,change,count,done\r\n')
  expect(line({})).toBe('maria,,1,,1,true\r\n')
})

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  "-2+3+cmd|'/c calc'!A1",
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u00a0=1',
  '\uff1d1',
  '\uff0b1',
  '\uff0d1',
  '\uff201',
])('the text %j is no formula', (text) => {
  const [, cell] = /^"?(.)/.exec(line({ name: text })) ?? []
  expect(cell).toBe("'")
})

test('numbers stay numbers, negative ones too, and other texts stay as they are', () => {
  expect(line({ name: 'A-1 = b', gain: '-12.5', count: -3 })).toBe('A-1 = b,,-12.5,,-3,true\r\n')
})

test('commas, quotes and ends of lines are quoted, and letters of every language are kept', () => {
  expect(line({ name: 'a,b', note: 'He said "sell"' })).toBe('"a,b","He said ""sell""",1,,1,true\r\n')
  expect(line({ name: 'one\r\ntwo', note: 'three\nfour' })).toBe('"one\r\ntwo","three\nfour",1,,1,true\r\n')
  expect(line({ name: 'Größe 株 🚀', note: '', change: '{"a":1}' })).toBe(
    'Größe 株 🚀,,1,"{""a"":1}",1,true\r\n',
  )
})
