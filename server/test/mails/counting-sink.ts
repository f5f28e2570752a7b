import { createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../../src/dev/free-port.ts'
import { converse, type SinkScript } from './sink-conversation.ts'

/** A mail that was taken. */
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
  /** How many connections were made. */
  connections(): number
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
    connections: () => state.connections,
    until: (condition) => state.until(condition),
    down: stop,
    async up() {
      server = await listen(state, taken)
    },
    close: stop,
  }
}

function listen(state: SinkState, port: number): Promise<Server> {
  const server = createServer((socket) => {
    state.connections += 1
    state.sockets.add(socket)
    socket.on('close', () => state.sockets.delete(socket))
    converse(state, socket, state.connections)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

class SinkState {
  script: SinkScript = {}
  total = 0
  connections = 0
  readonly byMessageId = new Map<string, number>()
  readonly byRecipient = new Map<string, number>()
  readonly asked = new Map<string, number>()
  readonly kept: SinkMail[] = []
  readonly times: { first: number | null; last: number | null } = { first: null, last: null }
  readonly sockets = new Set<Socket>()
  private waiting: { condition: () => boolean; resolve: () => void }[] = []

  ask(recipient: string): void {
    count(this.asked, recipient)
  }

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
