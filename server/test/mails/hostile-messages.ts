/** Far more than is read of a message. */
const LARGE = 10_000_000
const READ = 262_144

type Kind = (size: number, to: string) => string

const typed = (type: string, body: string) => `Content-Type: ${type}\r\n\r\n${body}`
const mixed = (boundary: string, body: string) => typed(`multipart/mixed; boundary="${boundary}"`, body)

/** Messages that are made to keep their reader busy, each in a size of bytes that grows. None reports that a mail failed. */
const KINDS: Readonly<Record<string, Kind>> = {
  'multiparts in multiparts': (size) => {
    const depth = Math.floor(size / 60)
    return Array.from({ length: depth }, (_, at) => `${mixed(`b${at}`, '')}--b${at}\r\n`).join('')
  },
  'messages in messages': (size) => typed('message/rfc822', '').repeat(Math.floor(size / 32)),
  'messages in texts': (size) => 'Received: x\r\nMIME-Version: 1.0\r\n\r\n'.repeat(size / 34),
  'messages in messages, each in base64': (size) => {
    let message = 'x'
    while (message.length < size)
      message = `Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(message).toString('base64')}`
    return message
  },
  'one line in a header': (size) => `Subject: ${'x'.repeat(size)}`,
  'one line of addresses': (size) => `To: ${'<a@b,'.repeat(size / 5)}`,
  'one line of brackets': (size) => `To: ${'<('.repeat(size / 2)}`,
  'one line of quotes': (size) => `Content-Type: multipart/mixed; ${'boundary="'.repeat(size / 10)}`,
  'one line of encoded words': (size) => `Subject: ${'=?utf-8?q?'.repeat(size / 10)}`,
  'one line of spaces': (size) => `Content-Type:${' '.repeat(size)}x`,
  'one line of semicolons': (size) => `Content-Type: multipart/report${'; '.repeat(size / 2)}`,
  'one line in a body': (size) => typed('text/html', '<'.repeat(size)),
  'one line of tags': (size) => typed('text/html', '<p '.repeat(size / 3)),
  'one line of ampersands': (size) => typed('text/html', '&#1'.repeat(size / 3)),
  'fields without end': (size) => Array.from({ length: size / 12 }, (_, at) => `X-${at}: y`).join('\r\n'),
  'a field that goes on and on': (size) => `Subject: x${'\r\n y'.repeat(size / 4)}`,
  'parts without end': (size) => mixed('b', '--b\r\n\r\nx\r\n'.repeat(size / 11)),
  'boundaries that are none': (size) => mixed('b', '--bb\r\n--b-\r\n-b\r\n'.repeat(size / 16)),
  'boundaries of every length': (size) => mixed('-'.repeat(70), '-'.repeat(size)),
  'fields of a report without end': (size) =>
    typed('message/delivery-status', 'Action: relayed\r\n\r\n'.repeat(size / 19)),
  'a report of one field': (size) =>
    typed('message/delivery-status', `Action: ${'delayed '.repeat(size / 8)}`),
  'base64 that is none': (size) => `Content-Transfer-Encoding: base64\r\n\r\n${'=*\r\n'.repeat(size / 4)}`,
  'quoted-printable that is none': (size) =>
    `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'= '.repeat(size / 2)}`,
  'an alphabet of nobody': (size) =>
    typed(`text/plain; charset="${'utf-'.repeat(1000)}"`, '\xff\xfe'.repeat(size / 2)),
  'half a letter in another alphabet': (size) =>
    typed('text/plain; charset=utf-16', 'x\x00\xd8'.repeat(size / 3)),
  'a change of alphabet at each letter': (size) => typed('text/plain', '\x1b$B\x1b(B'.repeat(size / 6)),
  nothing: (size) => '\0'.repeat(size),
  'empty lines': (size) => '\r\n'.repeat(size / 2),
  'ends of lines of every kind': (size) => '\r\r\n\n\r'.repeat(size / 5),
  'answers of servers without end': (size) => typed('text/plain', '(#:450 4.1.1 '.repeat(size / 13)),
  'senders without end': (size) =>
    typed(
      'text/plain',
      Array.from(
        { length: size / 72 },
        (_, at) => `bounces+${at.toString(32).padStart(50, '0')}@mail.example`,
      ).join('\r\n'),
    ),
  'half of a sender without end': (size) =>
    typed('text/plain', '+0123456789abcdefghijklmnopqrstuv0123456789abcdefg'.repeat(size / 50)),
  'its own header again and again': (size, to) =>
    typed('text/plain', `Received: x\r\nTo: ${to}\r\nMessage-ID: <x>\r\n`.repeat(size / 100)),
  'what an archive begins with': (size) =>
    typed('application/octet-stream', `PK\x03\x04${'\x00'.repeat(size)}`),
  'random bytes': (size) => {
    let seed = size
    return Array.from({ length: Math.min(size, READ) }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return String.fromCharCode(seed >> 23)
    }).join('')
  },
}

/** Six of each kind and more, some of ten megabytes; all of them come from a mail system and name a mail. @param to a return path */
export function hostileMessages(to: string): Buffer[] {
  const sizes = [600, 20_000, 100_000, READ - 300, READ, 2 * READ]
  const kinds = Object.values(KINDS)
  const some = sizes.flatMap((size) => kinds.map((kind) => kind(size, to)))
  const largest = kinds.filter((_, at) => at % 3 === 0).map((kind) => kind(READ, to).padEnd(LARGE, 'x'))
  const head = `Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.elsewhere.example\r\nTo: <${to}>\r\n`
  return [...some, ...largest].map((message) => Buffer.from(`${head}${message}`, 'latin1'))
}
