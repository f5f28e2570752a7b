import type { Socket } from 'node:net'

/**
 * The behaviour of the server at a stage instead of its duty. A text that begins with a digit is its reply. `vanish` hangs up
 * without a reply and without taking anything; `hang` replies no more and takes nothing; `drop` does its duty and hangs up
 * before it has replied; `mute` does its duty and never replies; `twice` does it once and replies twice. It can wait
 * first, for a time or for something to happen.
 */
export type Manner =
  | string
  | 'vanish'
  | 'hang'
  | 'drop'
  | 'mute'
  | 'twice'
  | { waitMs: number; next?: Manner | null }
  | { until: Promise<unknown>; next?: Manner | null }

/** The server's manners; every hook may be changed while it runs, and null is good behaviour. Connections count from 1. */
export type SinkScript = {
  /** Each piece of text as it comes off the wire. */
  heard?: (text: string, connection: number) => void
  /** The extensions in the reply to EHLO, beside the name: PIPELINING and 8BITMIME unless given. */
  offers?: string[]
  /** The whole answer to EHLO instead. */
  ehlo?: string
  /** Offers PIPELINING and loses what comes with another command, or with a message. */
  losesTheRest?: boolean
  /** Answers byte by byte. */
  inBytes?: boolean
  /** Asks for the message of nobody, too. */
  asksForNothing?: boolean
  greeting?: (connection: number) => Manner | null
  /** To MAIL FROM. */
  sender?: (connection: number) => Manner | null
  /** To RCPT TO. */
  recipient?: (address: string, connection: number) => Manner | null
  /** To DATA. */
  data?: (recipient: string, connection: number) => Manner | null
  /** After the final dot. */
  message?: (mail: { recipient: string; messageId: string; raw: string }, connection: number) => Manner | null
}

/** The record that the conversations of a mail server share. */
export type SinkRecord = {
  readonly script: SinkScript
  /** A recipient was named, to be taken or not. */
  ask(recipient: string): void
  take(mail: { from: string; recipients: string[]; raw: string }, messageId: string): void
  /** Is called whenever something was received or sent. */
  look(): void
}

/** The handling of a command: the server's behaviour by its manners, and its duty, which gives the reply. */
type Step = { manner: Manner | null | undefined; duty: () => string }

/** Speaks SMTP with PIPELINING on one connection: commands by line, a message until its dot. */
export function converse(record: SinkRecord, socket: Socket, connection: number): void {
  const conversation = new Conversation(record, socket, connection)
  socket.on('error', () => undefined)
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => conversation.receive(chunk))
  socket.on('close', () => conversation.end())
  conversation.greet()
}

class Conversation {
  private input = ''
  private inMessage = false
  /** Waits, or replies no more. */
  private silent = false
  private waiting: NodeJS.Timeout | undefined
  private mail = { from: '', recipients: [] as string[] }
  private readonly record: SinkRecord
  private readonly socket: Socket
  private readonly connection: number

  constructor(record: SinkRecord, socket: Socket, connection: number) {
    this.record = record
    this.socket = socket
    this.connection = connection
  }

  greet(): void {
    this.act({ manner: this.record.script.greeting?.(this.connection), duty: () => '220 sink' })
    this.record.look()
  }

  receive(chunk: string): void {
    const { script } = this.record
    if (chunk !== '') script.heard?.(chunk, this.connection)
    this.input += chunk
    if (!script.inBytes) this.socket.cork()
    while (!this.silent && !this.socket.destroyed) {
      const isEmpty = this.inMessage && this.input.startsWith('.\r\n')
      const dot = isEmpty ? '.\r\n' : this.inMessage ? '\r\n.\r\n' : '\r\n'
      const end = this.input.indexOf(dot)
      if (end < 0) break
      const piece = this.input.slice(0, end)
      this.input = script.losesTheRest ? '' : this.input.slice(end + dot.length)
      this.act(this.inMessage ? this.message(piece) : this.command(piece))
    }
    this.socket.uncork()
    this.record.look()
  }

  private command(line: string): Step {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'MAIL') return this.sender(addressIn(line))
    if (verb === 'RCPT' && this.mail.from) return this.recipient(addressIn(line))
    const mayGoOn = this.mail.recipients.length > 0 || this.record.script.asksForNothing
    if (verb === 'DATA' && mayGoOn) return this.data()
    return { manner: null, duty: () => this.other(verb) }
  }

  private sender(from: string): Step {
    const duty = () => {
      if (this.mail.from) return '503 one mail at a time'
      this.mail = { from, recipients: [] }
      return '250 fine'
    }
    return { manner: this.record.script.sender?.(this.connection), duty }
  }

  private recipient(address: string): Step {
    const duty = () => {
      this.mail.recipients.push(address)
      return '250 fine'
    }
    this.record.ask(address)
    return { manner: this.record.script.recipient?.(address, this.connection), duty }
  }

  private data(): Step {
    const duty = () => {
      this.inMessage = true
      return '354 go on'
    }
    return { manner: this.record.script.data?.(this.mail.recipients[0] ?? '', this.connection), duty }
  }

  private other(verb: string): string {
    if (verb === 'EHLO') {
      if (this.record.script.ehlo) return this.record.script.ehlo
      const lines = ['sink', ...(this.record.script.offers ?? ['PIPELINING', '8BITMIME'])]
      return lines.map((line, index) => `250${index < lines.length - 1 ? '-' : ' '}${line}`).join('\r\n')
    }
    if (verb === 'RCPT' || verb === 'DATA') return '503 out of turn'
    if (verb === 'RSET') this.mail = { from: '', recipients: [] }
    return verb === 'QUIT' ? '221 bye' : '250 fine'
  }

  private message(raw: string): Step {
    const mail = { ...this.mail, raw }
    const messageId = /^message-id:\s*(.*)$/im.exec(raw)?.[1] ?? 'none'
    this.inMessage = false
    this.mail = { from: '', recipients: [] }
    const duty = () => {
      if (mail.recipients.length === 0) return '554 no valid recipients'
      this.record.take(mail, messageId)
      return '250 taken'
    }
    const recipient = mail.recipients[0] ?? ''
    return { manner: this.record.script.message?.({ recipient, messageId, raw }, this.connection), duty }
  }

  private act({ manner, duty }: Step): void {
    if (typeof manner === 'object' && manner !== null) void this.wait(manner, duty)
    else if (manner === 'hang') this.silent = true
    else if (manner === 'vanish') this.socket.destroy()
    else if (manner === 'drop') {
      duty()
      this.socket.destroy()
    } else if (manner === 'mute') {
      duty()
      this.silent = true
    } else if (manner === 'twice') {
      const reply = duty()
      this.reply(`${reply}\r\n${reply}`)
    } else this.reply(manner ?? duty())
  }

  private async wait(manner: Extract<Manner, object>, duty: () => string): Promise<void> {
    this.silent = true
    await ('until' in manner ? manner.until : this.pause(manner.waitMs))
    if (this.socket.destroyed) return
    this.silent = false
    this.act({ manner: manner.next, duty })
    this.receive('')
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting = setTimeout(resolve, milliseconds)
    })
  }

  end(): void {
    clearTimeout(this.waiting)
  }

  private reply(text: string): void {
    if (this.record.script.inBytes) for (const byte of `${text}\r\n`) this.socket.write(byte)
    else this.socket.write(`${text}\r\n`)
    if (/^(421|221)/.test(text)) this.socket.end()
  }
}

function addressIn(line: string): string {
  return /<(.*?)>/.exec(line)?.[1] ?? ''
}
