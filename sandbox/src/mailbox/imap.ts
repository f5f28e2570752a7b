import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Returned, ReturnedStore } from './returned-store.ts'

/** A longer line is no command of a client that reads bounces. */
const LONGEST_LINE = 4096

type Session = {
  store: ReturnedStore
  signedIn: boolean
  selected: boolean
  write(text: string | Buffer): void
}

/**
 * As much of IMAP (RFC 3501) as a client needs to find new messages, read them and flag them as seen: one folder, INBOX, and any
 * name and password. Uids stand for sequence numbers nowhere: only UID commands read messages.
 */
export async function listenForImap(
  options: { host: string },
  store: ReturnedStore,
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    converse(socket, store)
  })
  server.listen(0, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function converse(socket: Socket, store: ReturnedStore): void {
  const session: Session = { store, signedIn: false, selected: false, write: (text) => socket.write(text) }
  let rest = ''
  session.write('* OK [CAPABILITY IMAP4rev1] sandbox\r\n')
  socket.setEncoding('latin1').on('data', (chunk) => {
    const lines = (rest + chunk).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (answer(session, line) === 'over') socket.end()
    }
    if (rest.length > LONGEST_LINE) socket.destroy()
  })
}

/** @returns `over` when the client has logged out */
function answer(session: Session, line: string): 'over' | undefined {
  const [, tag = '*', name = '', rest = ''] = /^(\S+) (UID \S+|\S+) ?(.*)$/i.exec(line) ?? []
  const command = name.toUpperCase()
  if (command === 'LOGOUT') {
    session.write(`* BYE until then\r\n${tag} OK done\r\n`)
    return 'over'
  }
  session.write(`${tag} ${perform(session, command, rest)}\r\n`)
  return undefined
}

/** Does a command, with its untagged answers. @returns the tagged one */
function perform(session: Session, command: string, rest: string): string {
  const { store } = session
  switch (command) {
    case 'CAPABILITY':
      session.write('* CAPABILITY IMAP4rev1\r\n')
      return 'OK done'
    case 'NOOP':
      return 'OK done'
    case 'LOGIN':
      // Some clients send a password as a literal; this server takes quoted strings and atoms.
      session.signedIn = !rest.endsWith('}')
      return session.signedIn ? 'OK signed in' : 'BAD no literals here'
  }
  if (!session.signedIn) return 'NO sign in first'
  switch (command) {
    case 'LIST':
      session.write('* LIST () "/" INBOX\r\n')
      return 'OK done'
    case 'SELECT':
    case 'EXAMINE':
      session.selected = true
      session.write(`* ${store.all.length} EXISTS\r\n* 0 RECENT\r\n* FLAGS (\\Seen)\r\n`)
      session.write('* OK [UIDVALIDITY 1] valid\r\n')
      return 'OK [READ-WRITE] selected'
  }
  if (!session.selected) return 'NO select a folder first'
  switch (command) {
    case 'UID SEARCH': {
      const found = store.all.filter(({ seen }) => !/UNSEEN/i.test(rest) || !seen)
      session.write(`* SEARCH${found.map(({ uid }) => ` ${uid}`).join('')}\r\n`)
      return 'OK done'
    }
    case 'UID FETCH':
      for (const [index, message] of named(store, rest)) session.write(fetched(index, message, rest))
      return 'OK done'
    case 'UID STORE':
      for (const [index, message] of named(store, rest)) {
        if (/\+FLAGS/i.test(rest) && /\\Seen/i.test(rest)) message.seen = true
        session.write(`* ${index + 1} FETCH (UID ${message.uid} FLAGS (${flags(message)}))\r\n`)
      }
      return 'OK done'
    case 'CLOSE':
      session.selected = false
      return 'OK done'
    default:
      return 'BAD unknown'
  }
}

/** The messages whose uids a command begins with, each with its place. */
function named(store: ReturnedStore, rest: string): [number, Returned][] {
  const uids = new Set((rest.split(' ')[0] ?? '').split(',').map(Number))
  return [...store.all.entries()].filter(([, { uid }]) => uids.has(uid))
}

function fetched(index: number, message: Returned, items: string): Buffer {
  const { raw, uid } = message
  const [, limit] = /BODY\.PEEK\[\]<0\.(\d+)>/i.exec(items) ?? []
  const body = limit === undefined ? raw : raw.subarray(0, Number(limit))
  const section = limit === undefined ? 'BODY[]' : 'BODY[]<0>'
  return Buffer.concat([
    Buffer.from(
      `* ${index + 1} FETCH (UID ${uid} FLAGS (${flags(message)}) RFC822.SIZE ${raw.length} ${section} {${body.length}}\r\n`,
    ),
    body,
    Buffer.from(')\r\n'),
  ])
}

function flags({ seen }: Returned): string {
  return seen ? '\\Seen' : ''
}
