import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import nodemailer from 'nodemailer'
import { startCountingSink } from '../server/test/counting-sink.ts'
import { inScenario } from './faults/delivery-scenario.ts'
import { type Contender, compare } from './ratio.ts'

const MAILS = Number(process.env.DELIVERY_FOLLOWERS ?? 10_000)
const CONNECTIONS = 10
const ROUNDS = 3
/** About the size of a position mail. */
const BODY = `Content-Type: text/plain\r\n\r\n${'A signal of about the usual length, line by line.\r\n'.repeat(120)}`

/** Ours: from the commit of an open to the last follower's mail, planning and records included. */
const ours: Contender = {
  name: 'Tradepost, one open to all followers',
  async run() {
    let rate = 0
    await inScenario(async (scenario) => {
      await scenario.startWorker()
      const committed = await scenario.publish()
      await scenario.sink.until(() => scenario.sink.byMessageId.size === MAILS)
      rate = (MAILS / ((scenario.sink.times.last ?? Number.NaN) - committed)) * 1000
    })
    return rate
  },
}

/** Peer: the usual way, a pool that builds each mail, with no record of what was sent. */
const pool: Contender = {
  name: 'nodemailer pool, no queue, no record',
  async run() {
    const sink = await startCountingSink()
    const transport = nodemailer.createTransport({
      host: '127.0.0.1',
      port: sink.port,
      pool: true,
      maxConnections: CONNECTIONS,
      maxMessages: Number.POSITIVE_INFINITY,
      ignoreTLS: true,
    })
    const started = performance.now()
    await Promise.all(
      Array.from({ length: MAILS }, (_, index) =>
        transport.sendMail({
          from: 'signals@tradepost.example',
          to: `follower${index}@people.example`,
          subject: 'a signal',
          text: BODY,
        }),
      ),
    )
    const rate = (MAILS / (performance.now() - started)) * 1000
    transport.close()
    await sink.close()
    return rate
  },
}

/** Ceiling: prebuilt bytes over plain sockets, one reply awaited for each step, nothing else. */
const sockets: Contender = {
  name: 'bare sockets, prebuilt bytes',
  async run() {
    const sink = await startCountingSink()
    const started = performance.now()
    const each = MAILS / CONNECTIONS
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, line) => blast(sink.port, line * each, each)))
    const rate = (MAILS / (performance.now() - started)) * 1000
    await sink.close()
    return rate
  },
}

async function blast(port: number, first: number, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]()
  /** The last line of a reply has a space behind its code. */
  const reply = async () => {
    for (let line = await replies.next(); !line.done; line = await replies.next()) {
      if (line.value[3] === ' ') return
    }
  }
  const say = async (text: string) => {
    socket.write(text)
    await reply()
  }
  await reply()
  await say('EHLO bench\r\n')
  for (let index = first; index < first + count; index += 1) {
    await say('MAIL FROM:<signals@tradepost.example>\r\n')
    await say(`RCPT TO:<follower${index}@people.example>\r\n`)
    await say('DATA\r\n')
    await say(`Message-ID: <${index}@bench>\r\n${BODY}.\r\n`)
  }
  await say('QUIT\r\n')
  socket.destroy()
}

export function benchFanOut(): Promise<void> {
  const title = `fan-out of ${MAILS} mails over ${CONNECTIONS} connections`
  return compare(title, 'mails/s', ours, [pool, sockets], ROUNDS)
}
