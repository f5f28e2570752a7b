import { createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../src/platform/free-port.ts'

/** How the sink misbehaves; every hook may be changed while it runs. A reply is an SMTP line; null is good behaviour. */
export type SinkScript = {
  /** Instead of the greeting. */
  greeting?: () => string | null
  /** To MAIL FROM. */
  sender?: () => string | null
  /** To RCPT TO. */
  recipient?: (address: string) => string | null
  /**
   * After the final dot; `drop` takes the mail and hangs up without a word, `vanish` hangs up without taking it, `hang`
   * neither takes it nor says anything.
   */
  message?: (mail: { recipient: string; messageId: string }) => string | 'drop' | 'vanish' | 'hang' | null
}

export type SinkMail = { from: string; recipients: string[]; raw: string }

/** An SMTP server that takes mails and counts them, for runs too large for a mailbox. Speaks PIPELINING. */
export type CountingSink = {
  readonly port: number
  readonly url: string
  script: SinkScript
  /** Mails taken, by Message-ID and by recipient. */
  readonly byMessageId: Map<string, number>
  readonly byRecipient: Map<string, number>
  /** RCPT commands, taken or not, by recipient. */
  readonly asked: Map<string, number>
  /** The first mails, whole. */
  readonly kept: SinkMail[]
  total(): number
  /** Mails that had been taken before. */
  repeats(): number
  /** Of `performance.now()`; null before the first mail. */
  readonly times: { first: number | null; last: number | null }
  /** Resolves when the condition holds; looked at whenever the sink is spoken to. */
  until(condition: () => boolean): Promise<void>
  /** Refuses connections and cuts those there are. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

const KEPT = 20

export async function startCountingSink(): Promise<CountingSink> {
  const state = new SinkState()
  // None that the system gives to outgoing connections: one of them could have it when the sink comes back.
  const taken = await freePort()
  let server = await listen(state, taken)
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of state.sockets) socket.destroy()
    })
  return {
    port: taken,
    url: `smtp://127.0.0.1:${taken}`,
    get script() {
      return state.script
    },
    set script(script) {
      state.script = script
    },
    byMessageId: state.byMessageId,
    byRecipient: state.byRecipient,
    asked: state.asked,
    kept: state.kept,
    times: state.times,
    total: () => state.total,
    repeats: () => state.total - state.byMessageId.size,
    until: (condition) => state.until(condition),
    down: stop,
    async up() {
      server = await listen(state, taken)
    },
    close: stop,
  }
}

function listen(state: SinkState, port: number): Promise<Server> {
  const server = createServer((socket) => converse(state, socket))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

class SinkState {
  script: SinkScript = {}
  total = 0
  readonly byMessageId = new Map<string, number>()
  readonly byRecipient = new Map<string, number>()
  readonly asked = new Map<string, number>()
  readonly kept: SinkMail[] = []
  readonly times: { first: number | null; last: number | null } = { first: null, last: null }
  readonly sockets = new Set<Socket>()
  private waiting: { condition: () => boolean; resolve: () => void }[] = []

  take(mail: SinkMail, messageId: string): void {
    this.total += 1
    this.times.last = performance.now()
    this.times.first ??= this.times.last
    count(this.byMessageId, messageId)
    for (const recipient of mail.recipients) count(this.byRecipient, recipient)
    if (this.kept.length < KEPT) this.kept.push(mail)
  }

  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve()
    return new Promise((resolve) => this.waiting.push({ condition, resolve }))
  }

  look(): void {
    if (this.waiting.length === 0) return
    const met = this.waiting.filter(({ condition }) => condition())
    this.waiting = this.waiting.filter((one) => !met.includes(one))
    for (const { resolve } of met) resolve()
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** One connection: commands by line, a message until its dot. */
function converse(state: SinkState, socket: Socket): void {
  let input = ''
  let inMessage = false
  let mail = { from: '', recipients: [] as string[] }
  state.sockets.add(socket)
  socket.on('close', () => state.sockets.delete(socket))
  socket.on('error', () => undefined)
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  const greeting = state.script.greeting?.() ?? '220 sink'
  socket.write(`${greeting}\r\n`)
  if (!greeting.startsWith('2')) socket.end()

  function command(line: string): string {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') return '250-sink\r\n250-PIPELINING\r\n250 8BITMIME'
    if (verb === 'MAIL') return takeSender(line)
    if (verb === 'RCPT') return takeRecipient(line)
    if (verb === 'DATA') {
      inMessage = mail.recipients.length > 0
      return inMessage ? '354 go on' : '503 no recipient'
    }
    if (verb === 'RSET') mail = { from: '', recipients: [] }
    return verb === 'QUIT' ? '221 bye' : '250 fine'
  }

  function takeSender(line: string): string {
    const bad = state.script.sender?.()
    if (bad) return bad
    if (mail.from) return '503 one mail at a time'
    mail = { from: addressIn(line), recipients: [] }
    return '250 fine'
  }

  function takeRecipient(line: string): string {
    const address = addressIn(line)
    count(state.asked, address)
    const bad = state.script.recipient?.(address)
    if (!bad) mail.recipients.push(address)
    return bad ?? '250 fine'
  }

  function message(raw: string): string | null {
    inMessage = false
    const messageId = /^message-id: (.*)$/im.exec(raw)?.[1] ?? 'none'
    const said = state.script.message?.({ recipient: mail.recipients[0] ?? '', messageId }) ?? null
    if (said === null || said === 'drop') state.take({ ...mail, raw }, messageId)
    mail = { from: '', recipients: [] }
    return said === 'drop' || said === 'vanish' ? null : (said ?? '250 taken')
  }

  socket.on('data', (chunk: string) => {
    input += chunk
    const replies: string[] = []
    for (;;) {
      const end = input.indexOf(inMessage ? '\r\n.\r\n' : '\r\n')
      if (end < 0) break
      const piece = input.slice(0, end)
      input = input.slice(end + (inMessage ? 5 : 2))
      const reply = inMessage ? message(piece) : command(piece)
      if (reply === null) {
        socket.destroy()
        break
      }
      if (reply !== 'hang') replies.push(reply)
    }
    if (replies.length > 0 && !socket.destroyed) socket.write(`${replies.join('\r\n')}\r\n`)
    if (replies.some((reply) => /^(421|221)/.test(reply))) socket.end()
    state.look()
  })
}

function addressIn(line: string): string {
  return /<(.*?)>/.exec(line)?.[1] ?? ''
}
