import { ImapFlow } from 'imapflow'
import { MOST_BYTES } from '../report-formats/mime-parts.ts'

/** A full mailbox takes several readings, so that each of them ends in time. */
const MOST_MESSAGES = 200
/** One message that cannot be handled holds up no other; after so many, the fault is another one. */
const MOST_FAILURES = 5

const LIMITS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  maxLineLength: 65_536,
  maxLiteralSize: MOST_BYTES + 1024,
  maxResponseSize: 2 * MOST_BYTES,
  maxResponseTokens: 10_000,
}
/** The limit of a whole reading. */
const READING_MS = 60_000

/**
 * Hands over the head of each new message of a mailbox once, oldest first, and flags it as seen behind that: one whose reader was killed comes
 * again. Without TLS a password goes to this machine alone.
 * @param url `imaps://user:password@host:port/folder` or `imap://…`, which turns to TLS unless the host is this machine
 * @param handle an error that it throws leaves the message unseen
 * @param stopping ends the reading at once
 * @returns how many were handled
 * @throws when the mailbox cannot be read within a minute, or a message could not be handled
 */
export async function readNewMessages(
  url: string,
  handle: (message: Buffer) => Promise<void>,
  stopping: AbortSignal,
): Promise<number> {
  const { client, folder } = makeClient(url)
  const end = () => client.close()
  const tooLong = setTimeout(end, READING_MS)
  stopping.addEventListener('abort', end)
  try {
    stopping.throwIfAborted()
    await client.connect()
    await client.mailboxOpen(folder)
    const handled = await handleAll(client, handle)
    await client.logout()
    return handled
  } finally {
    clearTimeout(tooLong)
    stopping.removeEventListener('abort', end)
    client.close()
  }
}

function makeClient(url: string): { client: ImapFlow; folder: string } {
  const { hostname, password, pathname, port, protocol, username } = new URL(url)
  const secure = protocol === 'imaps:'
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const client = new ImapFlow({
    ...LIMITS,
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port) || (secure ? 993 : 143),
    secure,
    ...(!secure && { doSTARTTLS: !isLocal }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    disableAutoIdle: true,
    // Its own log quotes mails and addresses.
    logger: false,
  })
  // The pending call receives the fault; without a listener, one between calls would end the process.
  client.on('error', () => undefined)
  return { client, folder: decodeURIComponent(pathname.slice(1)) || 'INBOX' }
}

async function handleAll(client: ImapFlow, handle: (message: Buffer) => Promise<void>): Promise<number> {
  const found = await client.search({ seen: false }, { uid: true })
  if (!found) throw new Error('the mailbox could not be searched')
  const faults: unknown[] = []
  let handled = 0
  for (const uid of found.sort((a, b) => a - b).slice(0, MOST_MESSAGES)) {
    const message = await fetchHead(client, uid)
    // Somebody else has deleted it.
    if (message === undefined) continue
    try {
      await handle(message)
    } catch (error) {
      faults.push(error)
      if (faults.length === MOST_FAILURES) break
      continue
    }
    await client.messageFlagsAdd([uid], ['\\Seen'], { uid: true })
    handled += 1
  }
  if (faults.length > 0) throw faults[0]
  return handled
}

/** The head of a message, however long it is. */
async function fetchHead(client: ImapFlow, uid: number): Promise<Buffer | undefined> {
  const query = { source: { maxLength: MOST_BYTES } }
  const message = await client.fetchOne(String(uid), query, { uid: true })
  if (!message) return undefined
  // Some servers send more than was asked for.
  return message.source?.subarray(0, MOST_BYTES) ?? Buffer.alloc(0)
}
