import type { Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls'
import { tlsFault } from './tls-fault.ts'

/** A reply of a mail server (RFC 5321 section 4.2). */
export type SmtpReply = {
  code: number
  /** Its lines as they came, joined with line feeds. For judging alone: it quotes addresses and never goes to a log. */
  text: string
}

/** Why a connection is over: in the words of Node and of nodemailer, which `readSmtpFault` knows. */
export type WireFault = 'ECONNECTION' | 'EPROTOCOL' | 'ETIMEDOUT' | 'ETLS'

/** The handler of a reply, and how long the server may be silent before it. */
type Expected = { take: (reply: SmtpReply) => void; limitMs: number }

/** A server that answers with so much text answers nothing sensible. */
const LONGEST_REPLY = 65_536

/**
 * One connection to a mail server as a row of commands and replies. A server answers in the order of the commands (RFC 2920
 * section 3.2), so a reply belongs to the oldest command without one. A reply that no command waits for means that both sides have
 * lost count, and ends the connection.
 */
export class SmtpWire {
  /** Called once, when the connection is over. @param cause more of it, in words without names; '' for nothing */
  onEnd: (fault: WireFault, cause: string) => void = () => undefined
  /** Called when all replies that came together have been taken. */
  onPause: () => void = () => undefined
  private readonly expected: Expected[] = []
  private socket: Socket
  private ended = false
  /** The received part of a line, and the lines of a reply that goes on. */
  private rest = ''
  private lines: string[] = []
  private limit: NodeJS.Timeout | undefined
  /** The limit of the timer, which runs on while nothing is expected; 0 before the first. */
  private limitMs = 0

  /** @param socket connected; the wire is its only user */
  constructor(socket: Socket) {
    this.socket = socket
    this.listen()
  }

  /** False once the connection is over. */
  get open(): boolean {
    return !this.ended
  }

  /** How many commands wait for their reply. */
  get unanswered(): number {
    return this.expected.length
  }

  /**
   * Has `take` called with the reply to the next command.
   * @param limitMs how long the server may be silent once all commands before have been answered
   */
  expect(limitMs: number, take: (reply: SmtpReply) => void): void {
    this.expected.push({ take, limitMs })
    if (this.expected.length === 1) this.watch()
  }

  /** @param data text or bytes; see `flushed` */
  write(data: string | Buffer): void {
    if (!this.ended) this.socket.write(data)
  }

  /** Whether the system has all that was written. Before that, bytes that were written may not be changed. */
  get flushed(): boolean {
    return this.socket.writableLength === 0
  }

  /**
   * Turns to TLS (RFC 3207). Bytes that the server has sent in the clear behind its answer to STARTTLS are no part of the secure
   * session: they end the connection, since somebody else may have put them there.
   */
  async secure(options: TlsOptions, limitMs: number): Promise<void> {
    if (this.rest !== '' || this.lines.length > 0) this.end('ETLS')
    if (this.ended) return
    const plain = this.socket
    plain.removeAllListeners('data')
    const secured = connectTls({ ...options, socket: plain })
    const late = setTimeout(() => this.end('ETIMEDOUT'), limitMs)
    await new Promise<void>((resolve) => {
      secured.once('secureConnect', resolve).once('close', () => resolve())
      secured.once('error', ({ code }: NodeJS.ErrnoException) => this.end('ETLS', tlsFault(code)))
    })
    clearTimeout(late)
    if (this.ended) secured.destroy()
    else {
      this.socket = secured
      this.listen()
    }
  }

  /** Hangs up without a word. */
  end(fault: WireFault, cause = ''): void {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.limit)
    this.expected.length = 0
    this.socket.destroy()
    this.onEnd(fault, cause)
  }

  private listen(): void {
    const { socket } = this
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => this.receive(String(chunk)))
    socket.on('error', () => this.end('ECONNECTION'))
    socket.on('end', () => this.end('ECONNECTION'))
    socket.on('close', () => this.end('ECONNECTION'))
  }

  private receive(chunk: string): void {
    const input = this.rest + chunk
    let start = 0
    for (let end = input.indexOf('\n'); end >= 0 && !this.ended; end = input.indexOf('\n', start)) {
      this.line(input.slice(start, input[end - 1] === '\r' ? end - 1 : end))
      start = end + 1
    }
    this.rest = input.slice(start)
    if (this.rest.length > LONGEST_REPLY || this.lines.length > LONGEST_REPLY / 64) this.end('EPROTOCOL')
    if (this.ended) return
    this.watch()
    this.onPause()
  }

  private line(line: string): void {
    const [first] = this.lines
    const isReply = /^[2-5]\d\d(?:[ -]|$)/.test(line)
    if (!isReply || (first !== undefined && !line.startsWith(first.slice(0, 3)))) {
      this.end('EPROTOCOL')
      return
    }
    if (line[3] === '-') {
      this.lines.push(line)
      return
    }
    const text = first === undefined ? line : [...this.lines, line].join('\n')
    this.lines = []
    const next = this.expected.shift()
    if (next) next.take({ code: Number(line.slice(0, 3)), text })
    else this.end('EPROTOCOL')
  }

  /** The silence before each reply is limited; the oldest command's limit holds. A timer that is there is put off: a new one for each reply costs more. */
  private watch(): void {
    const [next] = this.expected
    if (!next || this.ended) return
    if (next.limitMs === this.limitMs) {
      this.limit?.refresh()
      return
    }
    clearTimeout(this.limit)
    this.limitMs = next.limitMs
    this.limit = setTimeout(() => {
      if (this.expected.length > 0) this.end('ETIMEDOUT')
    }, next.limitMs)
  }
}
