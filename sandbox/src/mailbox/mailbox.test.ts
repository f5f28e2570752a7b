import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import type { Message } from './message-store.ts'

let sandbox: Sandbox | null = null

afterEach(async () => {
  await sandbox?.close()
  sandbox = null
})

async function start(): Promise<{ url: string; smtpPort: number }> {
  sandbox = await startSandbox({ parts: ['mail'] })
  return { url: sandbox.url, smtpPort: sandbox.smtpPort ?? 0 }
}

/** A client's side of an SMTP dialogue, limited to the commands of RFC 5321. */
async function openDialogue(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  const pieces = socket[Symbol.asyncIterator]()
  let received = ''
  /** Sends a line and waits for the whole answer: its last line has a space behind the code. */
  const sendLine = async (line: string): Promise<string> => {
    received = ''
    if (line) socket.write(`${line}\r\n`)
    while (!/^\d{3} .*\r\n$/m.test(received)) {
      const { value, done } = await pieces.next()
      if (done) throw new Error(`The server hung up: ${received}`)
      received += value
    }
    return received
  }
  const send = async (to: string[], message: string): Promise<string> => {
    await sendLine('MAIL FROM:<sender@a.example>')
    for (const recipient of to) expect(await sendLine(`RCPT TO:<${recipient}>`)).toMatch(/^250 /)
    expect(await sendLine('DATA')).toMatch(/^354 /)
    return sendLine(`${message.replaceAll('\n', '\r\n')}\r\n.`)
  }
  await sendLine('')
  return { greeting: await sendLine('EHLO client.example'), send, hangUp: () => socket.destroy() }
}

async function send(port: number, to: string[], message: string): Promise<void> {
  const dialogue = await openDialogue(port)
  expect(await dialogue.send(to, message)).toMatch(/^250 /)
  dialogue.hangUp()
}

async function messages(url: string, query = ''): Promise<Message[]> {
  return (await (await fetch(`${url}/mail/messages${query}`)).json()) as Message[]
}

test('a mail arrives with its parts, headers and the instant, once for each recipient of the envelope', async () => {
  const { url, smtpPort } = await start()
  await send(
    smtpPort,
    ['ann@people.example', 'Bob@people.example'],
    `Received: one
Received: two
From: "Post Office" <post@sender.example>
To: ann@people.example
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe_=E2=9C=93?=
List-Unsubscribe: <https://a.example/u>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Plain w=C3=B6rds
--b
Content-Type: text/html; charset=utf-8

<p>Rich words</p>
--b--`,
  )

  const [second, first] = await messages(url)
  expect([first?.to, second?.to]).toEqual(['ann@people.example', 'Bob@people.example'])
  expect(first).toMatchObject({
    id: '1',
    from: 'Post Office <post@sender.example>',
    subject: 'Grüße ✓',
    text: expect.stringContaining('Plain wörds'),
    html: expect.stringContaining('<p>Rich words</p>'),
    headers: { 'list-unsubscribe': '<https://a.example/u>', received: 'one\ntwo' },
  })
  expect(Math.abs(Date.parse(first?.receivedAt ?? '') - Date.now())).toBeLessThan(60_000)
  expect((await messages(url, '?to=bob@people.example')).map(({ id }) => id)).toEqual(['2'])
  expect((await messages(url, '?since=1')).map(({ id }) => id)).toEqual(['2'])
  expect((await fetch(`${url}/mail/messages?since=x`)).status).toBe(400)
})

test('deleting empties the mailbox, and ids go on counting', async () => {
  const { url, smtpPort } = await start()
  await send(smtpPort, ['b@b.example'], 'Subject: Hello\n\nx')
  expect((await fetch(`${url}/mail/messages`, { method: 'DELETE' })).status).toBe(204)
  expect(await messages(url)).toEqual([])
  expect((await fetch(`${url}/mail/1`)).status).toBe(404)
  await send(smtpPort, ['b@b.example'], 'Subject: Hello\n\nx')
  expect((await messages(url)).map(({ id }) => id)).toEqual(['2'])
})

test('the content of a mail is escaped in the page, and confined in its frame', async () => {
  const { url, smtpPort } = await start()
  await send(
    smtpPort,
    ['b@b.example'],
    `Subject: <script>alert(1)</script>
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain

Sign in: https://a.example/x?a=1&b="2 <b>now</b>
--b
Content-Type: text/html

<!doctype html><html><head><title>t</title></head><body><a href="https://a.example">Go</a></body></html>
--b--`,
  )
  const list = await (await fetch(`${url}/mail`)).text()
  expect(list).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  const answer = await fetch(`${url}/mail/1`)
  const page = await answer.text()
  expect(list + page).not.toContain('<script')
  expect(page).toContain('<a href="https://a.example/x?a=1&amp;b=">')
  expect(page).toContain('&lt;b&gt;now&lt;/b&gt;')
  expect(page).toMatch(
    /<iframe\s+src="\/mail\/1\/html"[^>]* sandbox="[^"]*allow-top-navigation-by-user-activation"/,
  )
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)

  const frame = await fetch(`${url}/mail/1/html`)
  const policy = frame.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toMatch(/sandbox allow-popups/)
  expect(policy).not.toMatch(/allow-scripts|allow-same-origin/)
  expect(await frame.text()).toContain('<head><base target="_top"><title>')
})

test('the list shows a hundred at a time and narrows to one recipient', async () => {
  const { url, smtpPort } = await start()
  const everybody = Array.from({ length: 101 }, (_, n) => `n${n}@b.example`)
  await send(smtpPort, everybody, 'Subject: Many\n\nx')
  const newest = await (await fetch(`${url}/mail`)).text()
  expect(newest.match(/<span class="subject">/g)).toHaveLength(100)
  expect(newest).toContain('href="/mail?before=2"')
  expect((await (await fetch(`${url}/mail?before=2`)).text()).match(/n0@b\.example/g)).toHaveLength(1)
  expect(
    (await (await fetch(`${url}/mail?to=N7@b.example`)).text()).match(/<span class="subject">/g),
  ).toHaveLength(1)
})

test('a message above the limit is refused with 552, and the connection goes on', async () => {
  const { url, smtpPort } = await start()
  const dialogue = await openDialogue(smtpPort)
  expect(dialogue.greeting).toContain('SIZE 5242880')
  expect(dialogue.greeting).not.toMatch(/AUTH|STARTTLS/)
  const tooLarge = `Subject: big\n\n${'x'.repeat(5 * 1024 * 1024 + 1)}`
  expect(await dialogue.send(['b@b.example'], tooLarge)).toMatch(/^552 /)
  expect(await dialogue.send(['b@b.example'], 'Subject: small\n\nx')).toMatch(/^250 /)
  dialogue.hangUp()
  expect((await messages(url)).map(({ subject }) => subject)).toEqual(['small'])
})
