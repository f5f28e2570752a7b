import { expect, test } from 'vitest'
import {
  bytes,
  effectsOf,
  head,
  lines,
  multipart,
  part,
  recipient,
  type Shape,
} from '../../../test/mails/report-effects.ts'

const STATUS = 'report; report-type=delivery-status'
const MTA = 'Reporting-MTA: dns; mx.elsewhere.example\r\n'
const dsn = (to: string, fields: string) =>
  head(to) +
  multipart(STATUS, [part('text/plain', 'It is sent back.'), part('message/delivery-status', fields)])

/** By the public report of it (docs/tried-outside.md, Mail that comes back). */
const SHAPES: readonly Shape[] = [
  [
    'mautic 2480: a domain that is not found',
    'recipient',
    (m) => dsn(m.path, MTA + recipient(m.to, 'failed', '5.4.4', 'DNS; Host not found')),
  ],
  [
    'mautic 3154: expired, under a detail of three digits',
    'recipient',
    (m) =>
      dsn(
        m.path,
        MTA + recipient(m.to, 'failed', '5.4.317', 'smtp;550 5.4.317 Message expired, cannot connect'),
      ),
  ],
  [
    'dada-mail 312: an answer over several lines',
    'address',
    (m) =>
      dsn(
        m.path,
        MTA +
          recipient(
            m.to,
            'failed',
            '5.0.0',
            `smtp; 550\r\n    5.1.1 <${m.to}>: Recipient address\r\n    rejected: User unknown in virtual\r\n    alias table`,
          ),
      ),
  ],
  [
    'oneshot-gtm 30: the fields in a part of their part',
    'address',
    (m) =>
      dsn(
        m.path,
        `Content-Type: text/plain; charset="UTF-8"\r\n\r\n${MTA}${recipient(m.to, 'failed', '5.1.3')}`,
      ),
  ],
  [
    'the same as a multipart under the type of the fields',
    'address',
    (m) =>
      head(m.path) +
      multipart(STATUS, [
        part('message/delivery-status', ''),
        part('text/plain', MTA + recipient(m.to, 'failed', '5.1.3')),
        part('message/global-headers', m.header),
      ]),
  ],
  [
    'MailBounceDetector 10: a Windows server that quotes Gmail',
    'address',
    (m) =>
      head(m.path) +
      lines(
        '',
        'Could not deliver message to the following recipient(s):',
        '',
        `Failed Recipient: ${m.to}`,
        'Reason: Remote host said: 550 5.1.1 The email account that you tried to reach does not exist. Please try',
        "5.1.1 double-checking the recipient's email address for typos or",
        '5.1.1 unnecessary spaces.',
      ),
  ],
  [
    'listmonk 1162: a Windows server that quotes Outlook',
    'recipient',
    (m) =>
      lines(
        'Return-Path: ',
        'From: mailer-daemon@elsewhere.example',
        `To: ${m.path}`,
        'Content-Type: text/plain;',
      ) +
      lines(
        '',
        'Your message did not reach some or all of the intended recipients.',
        'The following recipient(s) could not be reached:',
        m.to,
        '   Error Type: SMTP',
        '   Remote server replied: 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
      ),
  ],
  [
    'sympa 1637: a text and nothing else',
    'address',
    (m) =>
      head(m.path, 'Content-Type: text/plain') + lines('', 'Mail delivery failed.', `${m.to}: unknown user`),
  ],
  [
    'sympa 397: a notice that it is late',
    null,
    (m) =>
      head(m.path).replace('about your message', 'Delivery delayed:[news] your mail') +
      lines('', 'Delivery is delayed to these recipients or groups:', m.to, '450 4.4.1 not reached'),
  ],
  [
    'kannon 431: late, with the answer of the last try',
    null,
    (m) => dsn(m.path, MTA + recipient(m.to, 'delayed', '4.0.0', 'smtp; 550 5.1.1 unknown')),
  ],
  [
    'fxa-auth-server 1943: an office that is closed',
    null,
    (m) =>
      lines('Return-Path: <>', `From: ${m.to}`, `To: ${m.path}`, 'Auto-Submitted: auto-replied') +
      lines('Subject: Out of Office: your mail', '', 'Undeliverable until Monday: 550 5.1.1'),
  ],
  [
    'parsedmarc 44: a report of authentication with fields of a delivery',
    null,
    (m) =>
      head(m.path) +
      multipart('report; report-type=feedback-report', [
        part(
          'application/octet-stream; name=ATT00001.file',
          lines('Feedback-Type: auth-failure', 'Version: 1'),
        ),
        part(
          'application/octet-stream; name=ATT00003.file',
          MTA + recipient(m.to, 'x-unknown', '2.0.0', 'x-unknown;'),
        ),
      ]),
  ],
  [
    'cyrus-imapd 1256: cut off within a boundary',
    'address',
    (m) => dsn(m.path, MTA + recipient(m.to, 'failed', '5.1.1')).slice(0, -8),
  ],
  [
    'rspamd 6148: a complaint of three fields, and what it is about is in the quoted header',
    'complaint',
    (m) =>
      head('fbl@mail.example') +
      multipart('report; report-type=feedback-report', [
        part('message/feedback-report', lines('Feedback-Type: abuse', 'User-Agent: JMRP/1.0', 'Version: 1')),
        part('message/rfc822', `X-HmXmrOriginalRecipient: ${m.to}\r\n${m.header}\r\n\r\nx`),
      ]),
  ],
  [
    'p5-sisimai 312: the answer in a field of its own',
    'address',
    (m) =>
      dsn(
        m.path,
        MTA +
          recipient(m.to, 'failed', '5.0.0') +
          'X-Supplementary-Info: <192.0.2.1 #5.0.0 smtp; 550 "Unknown User">\r\n',
      ),
  ],
  [
    'the same, of a mailbox that is disabled',
    'recipient',
    (m) =>
      dsn(
        m.path,
        MTA +
          recipient(m.to, 'failed', '5.0.0') +
          'X-Supplementary-Info: <mta.example #5.0.0 smtp; 554 delivery error:\r\n dd This mailbox is disabled>\r\n',
      ),
  ],
  [
    'p5-sisimai 221: access that is denied is no evidence about the address',
    'policy',
    (m) =>
      dsn(
        m.path,
        MTA + recipient(m.to, 'failed', '5.7.1', 'smtp; 554 5.7.1 Recipient address rejected: Access denied'),
      ),
  ],
  [
    'p5-sisimai 127: a text in Chinese, in base64',
    'recipient',
    (m) =>
      head(m.path, 'Content-Type: text/plain; charset=big5', 'Content-Transfer-Encoding: base64') +
      lines('', Buffer.from('\xb5\x4c\xaa\x6b\xa7\xeb\xbb\xbc', 'latin1').toString('base64')),
  ],
  [
    'mail 1423: UTF-8 under the name of JIS',
    'recipient',
    (m) =>
      head(m.path, 'Content-Type: text/plain; charset=iso-2022-jp') +
      lines('', bytes('お客様のメールは配信できませんでした。')),
  ],
  [
    'rspamd 1651: Shift_JIS under the name of JIS',
    'recipient',
    (m) =>
      head(m.path, 'Content-Type: text/plain; charset=ISO-2022-JP') +
      lines('', '\x94\x7a\x90\x4d\x82\xc5\x82\xab\x82\xdc\x82\xb9\x82\xf1'),
  ],
  [
    'zammad 6144: JIS that nobody names',
    'recipient',
    (m) => head(m.path, 'Content-Type: text/plain;') + lines('', '\u001b$BG[?.$G$-$^$;$s\u001b(B'),
  ],
  [
    'go-sisimai 202: an answer that the address is no longer in use',
    null,
    (m) =>
      lines(`Return-Path: <${m.to}>`, `From: ${m.to}`, `To: ${m.path}`, 'Auto-Submitted: auto-replied') +
      lines('', `This email inbox ${m.to} is no longer in use.`),
  ],
]

test('reports of which other products made the wrong thing have the effect that they should have', async () => {
  const expected = SHAPES.map(([name, effect]) => [name, effect])
  expect(await effectsOf(SHAPES)).toEqual(expected)
})
