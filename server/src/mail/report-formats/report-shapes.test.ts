import { expect, test } from 'vitest'
import {
  bytes,
  effectsOf,
  head,
  lines,
  multipart,
  part,
  type QuotedMail,
  recipient,
  type Shape,
} from '../../../test/mails/report-effects.ts'

const MTA = 'Reporting-MTA: dns; mx.elsewhere.example\r\n'
const GONE = (mail: QuotedMail) =>
  MTA + recipient(mail.to, 'failed', '5.1.1', 'smtp; 550 5.1.1 nobody of that name')
const STATUS = 'report; report-type=delivery-status'
const SORRY = part('text/plain', 'It is sent back.')
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64').replaceAll(/.{76}/g, '$&\r\n')
const dsn = (mail: QuotedMail, fields: string, ...more: string[]) =>
  head(mail.path) + multipart(STATUS, [SORRY, part('message/delivery-status', fields), ...more])
const typed = (type: string) => (mail: QuotedMail) =>
  head(mail.path) + multipart(STATUS, [SORRY, part(type, GONE(mail))])
const BASE64 = 'Content-Transfer-Encoding: base64'
/** Nobody finds its fields in a text. */
const coded = (mail: QuotedMail) =>
  head(mail.path) + multipart(STATUS, [SORRY, part('message/delivery-status', base64(GONE(mail)), BASE64)])
const feedback = (mail: QuotedMail, fields: string, quoted: string) =>
  head('fbl@mail.example') +
  multipart('report; report-type=feedback-report', [
    part('text/plain', 'This is an abuse report.'),
    part('message/feedback-report', fields),
    part('message/rfc822', `${quoted}${mail.header}\r\n\r\nx`),
  ])
const ABUSE = lines('Feedback-Type: abuse', 'User-Agent: SomeLoop/1.0', 'Version: 1')

const SHAPES: readonly Shape[] = [
  ['as RFC 3464 shows it', 'address', (m) => dsn(m, GONE(m), part('message/rfc822', `${m.header}\r\n\r\nx`))],
  [
    'types in capitals',
    'address',
    (m) =>
      typed('Message/Delivery-Status; charset=us-ascii')(m).replace('multipart/report', 'MULTIPART/REPORT'),
  ],
  ['no report-type', 'address', (m) => dsn(m, GONE(m)).replace('; report-type=delivery-status', '')],
  [
    'a wrong report-type',
    'address',
    (m) => dsn(m, GONE(m)).replace('report-type=delivery-status', 'report-type=disposition-notification'),
  ],
  ['multipart/mixed', 'address', (m) => dsn(m, GONE(m)).replace(STATUS, 'mixed')],
  [
    'RFC 6533, without the address',
    'address',
    (m) => typed('message/global-delivery-status')(m).replace(/Final-Recipient: .*\r\n/, ''),
  ],
  ['the fields as octets', 'address', typed('application/octet-stream; name="details.txt"')],
  ['the fields as text', 'address', typed('text/plain; name=ATT00001.txt')],
  ['the fields under a type of nobody', 'address', typed('application/x-dsn')],
  [
    'one text with the fields in it',
    'address',
    (m) => head(m.path, 'Content-Type: text/plain', '', 'Your mail was not delivered.', '') + GONE(m),
  ],
  [
    'the fields in base64',
    'address',
    (m) =>
      head(m.path) +
      multipart(STATUS, [
        part('message/delivery-status', base64(GONE(m)), 'Content-Transfer-Encoding: BASE64'),
      ]),
  ],
  [
    'the fields in quoted-printable',
    'address',
    (m) =>
      head(m.path) +
      multipart(STATUS, [
        part(
          'message/delivery-status',
          GONE(m).replace('failed', 'fai=\r\nled').replaceAll('5.1.1', '5=2E1.1'),
          'Content-Transfer-Encoding: quoted-printable',
        ),
      ]),
  ],
  [
    'in a mixed one of a gateway',
    'address',
    (m) =>
      head(m.path) +
      multipart('mixed', [
        multipart(STATUS, [SORRY, part('message/delivery-status', GONE(m))], 'inner'),
        part('text/plain', 'Checked.'),
      ]),
  ],
  [
    'a boundary that begins like the outer one',
    'address',
    (m) =>
      head(m.path) +
      multipart('mixed', [
        multipart(STATUS, [SORRY, part('message/delivery-status', GONE(m))], 'a boundary.1'),
      ]),
  ],
  [
    'passed on as an attachment',
    'address',
    (m) =>
      lines('From: ann@people.example', 'To: bounces@mail.example') +
      multipart(
        'mixed',
        [part('text/plain', 'This came back.'), part('message/rfc822', dsn(m, GONE(m)))],
        'outer',
      ),
  ],
  [
    'passed on twice, the second time in base64',
    'address',
    (m) =>
      lines('From: ann@people.example') +
      part(
        'message/rfc822',
        base64(lines('From: bob@people.example') + part('message/rfc822', dsn(m, GONE(m)))),
        BASE64,
      ),
  ],
  [
    'passed on as octets',
    'address',
    (m) =>
      lines('From: ann@people.example') +
      multipart('mixed', [part('application/octet-stream; name=returned.eml', coded(m))], 'outer'),
  ],
  ['no boundary is named', 'address', (m) => coded(m).replace('; boundary="a boundary"', '')],
  ['cut off within the fields', 'address', (m) => dsn(m, GONE(m)).replace(/nobody of[\s\S]*/, 'no')],
  ['lines that end in other ways', 'address', (m) => dsn(m, GONE(m)).replaceAll('\r\n', '\n')],
  [
    'another boundary is named than is there',
    'address',
    (m) => coded(m).replace('boundary="a boundary"', 'boundary="another"'),
  ],
  [
    '“other address status”, with words',
    'address',
    (m) => dsn(m, MTA + recipient(m.to, 'failed', '5.1.0', "smtp; 5.1.0 - Unknown address error 550-'no'")),
  ],
  [
    '“other”, with the answer behind the name of the server',
    'recipient',
    (m) =>
      dsn(
        m,
        MTA +
          recipient(
            m.to,
            'failed',
            '5.0.0',
            'X-Postfix; host mx.example[192.0.2.1] said: 552 5.2.2 unknown user',
          ),
      ),
  ],
  [
    '“other” of security',
    'policy',
    (m) => dsn(m, MTA + recipient(m.to, 'failed', '5.7.0', 'smtp; 554 5.7.0 user unknown to us')),
  ],
  [
    'a complaint whose quoted header begins with empty lines',
    'complaint',
    (m) => feedback({ ...m, header: `\r\n\r\n${m.header}` }, ABUSE, ''),
  ],
  [
    'given up after days of “for now no such address”',
    'recipient',
    (m) => dsn(m, MTA + recipient(m.to, 'failed', '4.1.1', 'smtp; 450 4.1.1 user unknown')),
  ],
  ['lines that end in two returns', 'address', (m) => dsn(m, GONE(m)).replaceAll('\r\n', '\r\r\n')],
  [
    'the return path in the quoted mail alone, in base64',
    'address',
    (m) =>
      dsn(
        { ...m, path: 'bounces@mail.example' },
        GONE(m),
        part('message/rfc822', base64(`Return-Path: <${m.path}>\r\n${m.header}\r\n\r\nx`), BASE64),
      ),
  ],
  [
    'ten megabytes behind the fields',
    'address',
    (m) =>
      dsn(
        m,
        GONE(m),
        part('message/rfc822', `${m.header}\r\n\r\n${'x'.repeat(75)}\r\n`.padEnd(10_000_000, 'y')),
      ),
  ],
  [
    'ten megabytes before the fields',
    null,
    (m) =>
      head(m.path) +
      multipart(STATUS, [
        part('text/plain', 'x'.repeat(10_000_000)),
        part('message/delivery-status', GONE(m)),
      ]),
  ],
  [
    'given up after days',
    'recipient',
    (m) =>
      dsn(
        m,
        MTA + recipient(m.to, 'failed', '4.4.1', 'X-Relay; connect to mx.gone.example: Connection timed out'),
      ),
  ],
  [
    'given up after days of a limit of ours',
    'policy',
    (m) =>
      dsn(
        m,
        MTA +
          recipient(
            m.to,
            'failed',
            '4.7.0',
            'smtp; 421 4.7.0 Our system has detected an unusual rate of mail',
          ),
      ),
  ],
  [
    'given up, without a status',
    'recipient',
    (m) => dsn(m, MTA + recipient(m.to, 'failed (timed out)', '', 'smtp; 451 try again')),
  ],
  [
    'delayed',
    null,
    (m) => dsn(m, MTA + recipient(m.to, 'delayed', '4.0.0', 'smtp; 550 5.1.1 nobody of that name')),
  ],
  [
    'passed on to a server that reports nothing',
    null,
    (m) => dsn(m, MTA + recipient(m.to, 'relayed', '2.1.9')),
  ],
  ['delivered', null, (m) => dsn(m, MTA + recipient(m.to, 'delivered', '2.0.0'))],
  ['passed on to a list', null, (m) => dsn(m, MTA + recipient(m.to, 'expanded', '2.0.0'))],
  ['failed, with a status of success', null, (m) => dsn(m, MTA + recipient(m.to, 'failed', '2.0.0'))],
  [
    'no action, and a status that shows the failure',
    'address',
    (m) => dsn(m, MTA + recipient(m.to, 'failed', '5.1.1').replace('Action: failed\r\n', '')),
  ],
  [
    'the reader’s of several recipients failed',
    'address',
    (m) =>
      dsn(
        m,
        MTA +
          recipient('other@x.example', 'delivered', '2.0.0') +
          recipient(m.to, 'failed', '5.1.1') +
          recipient('third@x.example', 'failed', '5.2.2'),
      ),
  ],
  [
    'the reader’s of several recipients is delayed',
    null,
    (m) =>
      dsn(
        m,
        MTA +
          recipient('other@x.example', 'failed', '5.1.1') +
          recipient(m.to.toUpperCase(), 'delayed', '4.4.1'),
      ),
  ],
  [
    'of several others one got it',
    null,
    (m) =>
      dsn(
        m,
        MTA + recipient('a@x.example', 'failed', '5.1.1') + recipient('b@x.example', 'relayed', '2.0.0'),
      ),
  ],
  [
    'all of several others failed',
    'recipient',
    (m) =>
      dsn(m, MTA + recipient('a@x.example', 'failed', '5.1.1') + recipient('b@x.example', 'failed', '5.2.2')),
  ],
  [
    'the same, each in a part of its own',
    'recipient',
    (m) =>
      dsn(
        m,
        MTA + recipient('a@x.example', 'failed', '5.1.1'),
        part('message/delivery-status', MTA + recipient('b@x.example', 'failed', '5.2.2')),
      ),
  ],
  [
    'Exim’s, with the reason in the text',
    'address',
    (m) =>
      head(m.path) +
      multipart(STATUS, [
        part(
          'text/plain',
          `A message that you sent could not be delivered to one or more of its\r\nrecipients. This is a permanent error.\r\n\r\n  ${m.to}\r\n    Unrouteable address`,
        ),
        part('message/delivery-status', MTA + recipient(m.to, 'failed', '5.0.0')),
      ]),
  ],
  [
    'a limit of ours under a code of the recipient',
    'policy',
    (m) => dsn(m, MTA + recipient(m.to, 'failed', '5.4.5', 'smtp; 550 5.4.5 Daily sending quota exceeded')),
  ],
  [
    'a full mailbox under a code of no meaning',
    'recipient',
    (m) => dsn(m, MTA + recipient(m.to, 'failed', '5.0.0', 'smtp; 552 mailbox full')),
  ],
  [
    'two codes, the milder one holds',
    'recipient',
    (m) => dsn(m, MTA + recipient(m.to, 'failed', '5.1.1', 'smtp; 552 5.2.2 no room')),
  ],
  [
    'no fields, and the text states the failure',
    'address',
    (m) =>
      head(m.path) +
      multipart(STATUS, [
        part('text/plain', `<${m.to}>: could not be delivered: 550 5.1.1 User unknown`),
        part('message/delivery-status', ''),
      ]),
  ],
  ['nothing at all', null, () => ''],
  [
    'a report that was read aloud',
    null,
    (m) =>
      head(m.path) +
      multipart('report; report-type=disposition-notification', [
        part('text/plain', 'It was not delivered to her phone, and read.'),
        part(
          'message/global-disposition-notification',
          lines(`Final-Recipient: utf-8; ${m.to}`, 'Disposition: manual-action/MDN-sent-manually; displayed'),
        ),
      ]),
  ],
  [
    'a complaint as RFC 5965 shows it',
    'complaint',
    (m) => feedback(m, `${ABUSE}Original-Mail-From: <${m.path}>`, ''),
  ],
  [
    'a complaint of the type alone, with the return path',
    'complaint',
    (m) => feedback(m, 'Feedback-Type: Abuse', `Return-Path: <${m.path}>\r\n`),
  ],
  ['a complaint without the return path', 'complaint', (m) => feedback(m, ABUSE, '')],
  [
    'the same with the header alone, in base64',
    'complaint',
    (m) =>
      head('fbl@mail.example') +
      multipart('mixed', [part('text/plain', ABUSE), part('text/rfc822-headers', base64(m.header), BASE64)]),
  ],
  ['a complaint without anything of ours', null, (m) => feedback({ ...m, header: 'Subject: x' }, ABUSE, '')],
  [
    'a mail that is no spam',
    null,
    (m) => feedback(m, ABUSE.replace('abuse', 'not-spam'), `Return-Path: <${m.path}>\r\n`),
  ],
  [
    'a report of authentication',
    null,
    (m) => feedback(m, ABUSE.replace('abuse', 'auth-failure'), `Return-Path: <${m.path}>\r\n`),
  ],
  [
    'words in another alphabet beside the fields',
    'address',
    (m) => dsn(m, GONE(m)).replace('It is sent back.', bytes('メールは配信できませんでした')),
  ],
]

test('fifty shapes of reports have the effect that they should have', async () => {
  const expected = SHAPES.map(([name, effect]) => [name, effect])
  expect(await effectsOf(SHAPES)).toEqual(expected)
})
