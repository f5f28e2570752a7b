import { expect, test } from 'vitest'
import {
  bytes,
  effectsOf,
  head,
  lines,
  multipart,
  part,
  type QuotedMail,
  type Shape,
} from '../../../test/mails/report-effects.ts'

const quoted = (m: QuotedMail) =>
  `Return-Path: <${m.path}>\r\n${m.header}\r\n\r\nmaria opened AAPL. It could not be delivered: 550 5.1.1 is what a mail may say.\r\n`
const plain = (m: QuotedMail, ...text: string[]) => head(m.path) + lines('', ...text)
const from = (who: string, m: QuotedMail, more: string[], ...text: string[]) =>
  lines(
    'Return-Path: <>',
    `From: ${who}`,
    `To: <${m.path}>`,
    'Subject: Re: @maria opened AAPL',
    ...more,
    '',
    ...text,
  )
const inCharset = (m: QuotedMail, charset: string, body: string) =>
  head(m.path, `Content-Type: text/plain; charset=${charset}`) + lines('', body, '', `<${m.to}>: 550 5.1.1`)
/** 配信できませんでした, as JIS in seven bits and as Shift_JIS. */
const JIS = '\u001b$BG[?.$G$-$^$;$s$G$7$?\u001b(B'
const SHIFT_JIS = '\x94\x7a\x90\x4d\x82\xc5\x82\xab\x82\xdc\x82\xb9\x82\xf1\x82\xc5\x82\xb5\x82\xbd'
/** 无法投递, in GB 2312. */
const GB = '\xce\xde\xb7\xa8\xcd\xb6\xb5\xdd'

const SHAPES: readonly Shape[] = [
  [
    'qmail’s',
    'address',
    (m) =>
      plain(
        m,
        'Hi. This is the qmail-send program at elsewhere.example.',
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        '',
        `<${m.to}>:`,
        'Sorry, no mailbox here by that name. (#5.1.1)',
        '',
        '--- Below this line is a copy of the message.',
        '',
        quoted(m),
      ),
  ],
  [
    'qmail’s, after days in its queue',
    'recipient',
    (m) =>
      plain(
        m,
        'Hi. This is the qmail-send program at elsewhere.example.',
        `<${m.to}>:`,
        'Connected to 192.0.2.1 but greeting failed.',
        'Remote host said: 421 4.3.2 too busy',
        "I'm not going to try again; this message has been in the queue too long.",
      ),
  ],
  [
    'Exim’s of before',
    'address',
    (m) =>
      head(m.path, 'Auto-Submitted: auto-replied', `X-Failed-Recipients: ${m.to}`) +
      lines(
        '',
        'This message was created automatically by mail delivery software.',
        '',
        'A message that you sent could not be delivered to one or more of its',
        'recipients. This is a permanent error. The following address(es) failed:',
        '',
        `  ${m.to}`,
        '    Unrouteable address',
        '',
        '------ This is a copy of the message, including all the headers. ------',
        '',
        quoted(m),
      ),
  ],
  [
    'Exim’s warning',
    null,
    (m) =>
      head(m.path, 'Auto-Submitted: auto-replied') +
      lines(
        '',
        'This message was created automatically by mail delivery software.',
        'A message that you sent has not yet been delivered to one or more of its',
        'recipients after more than 24 hours on the queue on elsewhere.example.',
        '',
        `  ${m.to}`,
        '    host mx.gone.example [192.0.2.1]: 550 5.1.1 for now',
        '',
        'No action is required on your part. Delivery attempts will continue for',
        'some time.',
      ),
  ],
  [
    'sendmail’s warning',
    null,
    (m) =>
      plain(
        m,
        '**      THIS IS A WARNING MESSAGE ONLY      **',
        '**  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **',
        '',
        'Deferred: 450 4.1.1 could not be delivered',
      ),
  ],
  [
    'a Windows server’s',
    'recipient',
    (m) =>
      plain(
        m,
        'Your message did not reach some or all of the intended recipients.',
        '',
        m.to,
        '   Error Type: SMTP',
        '   Remote server replied: 550 5.5.0 Requested action not taken: mailbox unavailable',
      ),
  ],
  [
    'a gateway’s, of a full mailbox',
    'recipient',
    (m) => plain(m, `Delivery to ${m.to} failed permanently.`, 'The mailbox is full.'),
  ],
  [
    'a gateway’s, of our name',
    'policy',
    (m) =>
      plain(
        m,
        'Your mail could not be delivered.',
        '554 Service unavailable; Client host [192.0.2.1] blocked using zen.example',
      ),
  ],
  [
    'a gateway’s, of a policy',
    'policy',
    (m) => plain(m, 'Delivery has failed.', 'Remote server said: 550 5.7.1 user unknown to you'),
  ],
  [
    'a gateway’s in HTML alone',
    'address',
    (m) =>
      head(m.path, 'Content-Type: text/html') +
      lines(
        '',
        '<html><body><p>Delivery has failed to these recipients:</p>',
        `<b>${m.to}</b><br>550&nbsp;5.1.1 RESOLVER.ADR.RecipNotFound; not found</body></html>`,
      ),
  ],
  [
    'of two texts in one',
    'address',
    (m) =>
      head(m.path) +
      multipart('alternative', [
        part('text/plain', 'Your mail was undeliverable. 550 No such user'),
        part('text/html', '<p>Your mail was undeliverable.</p>'),
      ]),
  ],
  [
    'with the mail as an attachment, which alone names it',
    'address',
    (m) =>
      head('bounces@mail.example') +
      multipart('mixed', [
        part('text/plain', 'Undeliverable: no such user'),
        part('message/rfc822', quoted(m)),
      ]),
  ],
  [
    'passed on as an attachment',
    'address',
    (m) =>
      lines('From: ann@people.example', 'Subject: fwd') +
      multipart('mixed', [
        part('text/plain', 'See below.'),
        part('message/rfc822', plain(m, 'Your mail was undeliverable. 550 No such user')),
      ]),
  ],
  [
    'in German',
    'address',
    (m) =>
      plain(m, bytes('Ihre Nachricht konnte nicht zugestellt werden.'), bytes('550 Empfänger unbekannt')),
  ],
  [
    'in German, Latin 1 that is called ASCII',
    'recipient',
    (m) =>
      inCharset(m, 'us-ascii', 'Ihre Nachricht an die Empf\xe4nger ist unzustellbar: Postfach voll').replace(
        '550 5.1.1',
        '',
      ),
  ],
  [
    'in German, delayed',
    null,
    (m) =>
      plain(
        m,
        bytes('Die Zustellung verzögert sich. Ihre Nachricht konnte noch nicht zugestellt werden.'),
        '450 4.4.1',
      ),
  ],
  [
    'in French, quoted-printable',
    'address',
    (m) =>
      head(
        m.path,
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
      ) +
      lines(
        '',
        'Votre message n=92a pas pu =EAtre remis.'.replace('=92', "'"),
        '550 5.1.1 Utilisateur inconnu',
      ),
  ],
  ['in French, delayed', null, (m) => plain(m, bytes('Votre message est retardé.'))],
  ['in Japanese, JIS that nobody names', 'address', (m) => inCharset(m, 'us-ascii', JIS)],
  ['in Japanese, Shift_JIS', 'address', (m) => inCharset(m, 'shift_jis', SHIFT_JIS)],
  [
    'in Japanese, without a code',
    'recipient',
    (m) => plain(m, bytes('お客様のメールは配信できませんでした。')),
  ],
  ['in Chinese', 'address', (m) => inCharset(m, 'gb2312', GB)],
  [
    'in Chinese that calls itself an alphabet of nobody',
    'address',
    (m) => inCharset(m, 'x-nothing', bytes('无法投递')),
  ],
  [
    'in a language that we do not know, with the answer of the server',
    'address',
    (m) => plain(m, 'Zpráva se vrátila.', `<${m.to}>: 550 5.1.1 <${m.to}>: nikdo`),
  ],
  [
    'words in the subject alone',
    'recipient',
    (m) => plain(m, '-').replace('about your message', '=?utf-8?Q?Undelivered_Mail_Returned_to_Sender?='),
  ],
  [
    'a status that is an address',
    'recipient',
    (m) => plain(m, 'Undeliverable. Connection to 5.1.1.7 timed out, server 5.1.1.'),
  ],
  [
    'ten megabytes',
    'address',
    (m) => plain(m, 'Your mail was undeliverable: no such user', '', quoted(m).padEnd(10_000_000, 'x')),
  ],
  [
    'of nobody in particular, with words',
    'address',
    (m) => from('<noreply@elsewhere.example>', m, [], 'Your mail was undeliverable: no such user'),
  ],
  [
    'a holiday that quotes a code',
    null,
    (m) =>
      head(m.path, 'Auto-Submitted: auto-replied', 'Precedence: bulk') +
      lines('', 'I am away until Monday. 550 5.1.1 is what I would say.', '', `> ${m.path}`),
  ],
  [
    'a holiday that quotes the whole mail',
    null,
    (m) =>
      from(
        'Ann <ann@people.example>',
        m,
        ['Auto-Submitted: auto-replied'],
        'Back in May.',
        '',
        '550 5.1.1 User unknown, could not be delivered',
        quoted(m),
      ),
  ],
  [
    'a holiday of the mail system’s own',
    null,
    (m) =>
      plain(
        m,
        'The person whom you wrote to is out of the office.',
        'Your mail was not delivered to anybody else.',
      ),
  ],
  [
    'a holiday of the mail system’s own, with an answer',
    null,
    (m) => plain(m, 'Out of the office until Monday.', '550 5.1.1 is all that I say'),
  ],
  ['a holiday in Japanese', null, (m) => plain(m, bytes('休暇中です。届きません。'))],
  [
    'a person’s answer',
    null,
    (m) =>
      lines(
        'From: Ann <ann@people.example>',
        `To: <${m.path}>`,
        'Subject: undeliverable',
        '',
        'My other mail was undeliverable: 550 5.1.1 User unknown',
      ),
  ],
  [
    'an answer with an empty return path and a code',
    null,
    (m) => from('Ann <ann@people.example>', m, [], 'The ticket of your mail:', '550 5.1.1'),
  ],
  [
    'a reader who is gone',
    null,
    (m) => from('Ann <ann@people.example>', m, [], 'This address is no longer in use.'),
  ],
  [
    'a mailing list’s',
    null,
    (m) =>
      head(m.path, 'Precedence: list', 'Auto-Submitted: auto-replied') +
      lines('', 'Your mail was undeliverable. 550 5.1.1'),
  ],
  ['a mail system that gives no reason', null, (m) => plain(m, 'Thank you for your mail.', '', quoted(m))],
  [
    'a mail that was quoted alone speaks of a failure',
    null,
    (m) => plain(m, 'See below.', '', '-----Original Message-----', 'It could not be delivered. 550 5.1.1'),
  ],
  [
    'without the token',
    null,
    (m) =>
      plain({ ...m, path: 'bounces@mail.example' }, `<${m.to}> was undeliverable: 550 5.1.1 User unknown`),
  ],
]

test('reports in plain words have the effect that they should have, and answers of people none', async () => {
  const expected = SHAPES.map(([name, effect]) => [name, effect])
  expect(await effectsOf(SHAPES)).toEqual(expected)
})
