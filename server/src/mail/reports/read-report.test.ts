import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bounce, complaint } from '../../../test/mails/mail-reports.ts'
import { mailTag, makeReturnPaths } from '../../platform/return-path.ts'
import { parseReport } from '../report-formats/parse-report.ts'
import { readReport } from './read-report.ts'

const paths = makeReturnPaths('bounces@mail.example', [Buffer.alloc(32, 7)])
const trace = {
  topic: 'positions',
  readerId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  tag: mailTag('a mail'),
} as const
const path = paths.of(trace)

const nobody = { emailOf: async () => null, subscriberOf: async () => null }

function read(message: string) {
  return readReport(parseReport(Buffer.from(message, 'latin1')), paths, nobody)
}

test('the last server’s own words are read beside the status, and the reading that is better for the person holds', async () => {
  const cases: [fields: Record<string, string>, about: string, status: string | null][] = [
    [{ Status: '5.1.1' }, 'address', '5.1.1'],
    [{ Status: '5.1.1', 'Diagnostic-Code': 'smtp; 550-5.7.1 blocked' }, 'policy', '5.7.1'],
    [{ Status: '5.7.1', 'Diagnostic-Code': 'smtp; 550 5.1.1 unknown' }, 'policy', '5.7.1'],
    [{ Status: '5.0.0', 'Diagnostic-Code': 'smtp; 550 5.1.2 unknown' }, 'address', '5.1.2'],
    [{ Status: '5.0.0', 'Diagnostic-Code': 'smtp; 550 no such user' }, 'address', '5.0.0'],
    [{ Status: '5.0.0', 'Diagnostic-Code': 'smtp; 550 mailbox unavailable' }, 'recipient', '5.0.0'],
    [{ Status: '', 'Diagnostic-Code': 'smtp; 451 4.7.1 greylisted' }, 'policy', '4.7.1'],
    [{ Status: 'what?', 'Diagnostic-Code': 'X-Notes; gone' }, 'recipient', null],
    [{ Status: '5.1.1\r\n (no such user)', ACTION: 'Failed' }, 'address', '5.1.1'],
  ]
  for (const [fields, about, status] of cases)
    expect(await read(bounce(path, fields))).toMatchObject({ ...trace, kind: 'bounce', about, status })
  expect(await read(bounce(path, { Status: '', 'Diagnostic-Code': 'smtp; 250 2.0.0 taken' }))).toBe(
    'no failure',
  )
})

test('of a mail that was passed on to several, one who got it is enough', async () => {
  const second = (action: string, status: string) =>
    bounce(path).replace('Status: 5.1.1', `Status: 5.1.1\r\n\r\nAction: ${action}\r\nStatus: ${status}`)
  expect(await read(second('delivered', '2.0.0'))).toBe('no failure')
  expect(await read(second('failed', '5.2.2'))).toMatchObject({ about: 'recipient', status: '5.2.2' })
})

test('a mail is named in the message that is quoted too, plain or encoded', async () => {
  const quoting = (part: string) =>
    bounce('bounces@mail.example')
      .replace('Subject: maria opened AAPL', part)
      .replace('text/rfc822-headers', 'message/rfc822')
  expect(await read(quoting(`Return-Path: <${path}>\r\nSubject: maria opened AAPL\r\n\r\nx`))).toMatchObject(
    trace,
  )
  const encoded = Buffer.from(`Return-Path: <${path}>\r\n\r\nx`)
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n')
  const part = `Content-Transfer-Encoding: base64\r\n\r\n${encoded}`
  const message = bounce('bounces@mail.example').replace('\r\n\r\nSubject: maria opened AAPL', `\r\n${part}`)
  expect(await read(message)).toMatchObject(trace)
})

test('any message is read or counted, and never held against anybody but the reader that it names', async () => {
  const whole = [bounce(path), complaint(path)]
  const mutation = fc.record({
    of: fc.constantFrom(...whole),
    at: fc.nat(1200),
    cut: fc.nat(200),
    put: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom('\r\n', '--=_b', ':', '\0', '='),
    ),
  })
  await fc.assert(
    fc.asyncProperty(mutation, async ({ at, cut, of, put }) => {
      const report = await read(of.slice(0, at) + put + of.slice(at + cut))
      if (typeof report !== 'string') expect(report).toMatchObject(trace)
    }),
    { numRuns: 60 },
  )
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
      expect(typeof (await readReport(parseReport(bytes), paths, nobody))).toBe('string')
    }),
    { numRuns: 20 },
  )
})
