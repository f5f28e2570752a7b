import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import type { Manner, SinkScript } from '../../../test/mails/sink-conversation.ts'
import { queueMail } from '../outbox/queue-mail.ts'
import { makeMailer } from '../smtp/mailer.ts'

const SECOND_MS = 1000

test('an answer 12 s after the final dot is waited for, by mails to followers and by single ones: each is sent once', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock, settings } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 2, clock.now())
  let answers = 0
  sink.script = {
    message() {
      answers += 1
      return answers <= 2 ? { waitMs: 12_000 } : null
    },
  }
  await scenario.startWorker()
  const mailer = makeMailer({ ...settings.mail, smtpUrl: sink.url })
  const single = mailer.send({ to: 'single@example.com', subject: 'x', text: 'x' })
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await single
  await expect.poll(() => scenario.countRanges('done_at is not null')).toBe(1)
  mailer.close()
  expect(sink.total()).toBe(3)
  expect(sink.byMessageId.size).toBe(3)
})

test('a worker that must stop while the server thinks about mails that it has taken ends, and repeats one a connection', async () => {
  await using scenario = await startDeliveryScenario({ connections: 3 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 600, clock.now())
  sink.script = { message: () => (sink.total() >= 100 ? 'mute' : null) }
  const worker = await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() >= 102)
  await worker.stop()
  sink.script = {}
  await scenario.startWorker()
  await sink.until(() => sink.byMessageId.size === 600)
  expect(sink.repeats()).toBeLessThanOrEqual(3)
})

test('a worker that must stop while the server thinks about a single mail ends, and the mail is sent later', async () => {
  await using scenario = await startDeliveryScenario({ operatorEmail: 'operator@example.com' })
  const { database, sink } = scenario
  const facts = { subject: 'a charge is disputed', text: 'Answer it.' }
  await queueMail(database.db, { kind: 'operator_notice', userId: null, facts }, scenario.clock.now())
  sink.script = { message: () => 'hang' }
  const worker = await scenario.startWorker()
  await sink.until(() => sink.asked.size === 1)
  await worker.stop()
  await sink.down()
  await sink.up()
  sink.script = {}
  await scenario.startWorker()
  await sink.until(() => sink.total() === 1)
})

/** Every third connection is treated so, the first among them. */
const sometimes = (manner: Manner) => (connection: number) => (connection % 3 === 1 ? manner : null)

test.each<[string, SinkScript, number]>([
  ['hangs up at the greeting', { greeting: sometimes('vanish') }, 0],
  ['greets late', { greeting: sometimes({ waitMs: 300 }) }, 0],
  ['greets twice', { greeting: sometimes('twice') }, 0],
  ['defers at the greeting', { greeting: sometimes('450 4.3.2 busy') }, 0],
  ['hangs up at MAIL', { sender: sometimes('vanish') }, 0],
  ['closes at MAIL', { sender: sometimes({ waitMs: 50, next: '421 4.3.2 closing' }) }, 0],
  ['answers MAIL twice', { sender: sometimes('twice') }, 0],
  ['hangs up at RCPT', { recipient: (_, connection) => sometimes('vanish')(connection) }, 0],
  ['closes at RCPT', { recipient: (_, connection) => sometimes('421 4.7.0 too much')(connection) }, 0],
  ['takes RCPT and hangs up', { recipient: (_, connection) => sometimes('drop')(connection) }, 0],
  ['hangs up at DATA', { data: (_, connection) => sometimes('vanish')(connection) }, 0],
  ['answers DATA twice', { data: (_, connection) => sometimes('twice')(connection) }, 20],
  ['hangs up after the dot', { message: (_, connection) => sometimes('vanish')(connection) }, 0],
  ['closes after the dot', { message: (_, connection) => sometimes('421 4.3.2 closing')(connection) }, 0],
  ['answers late after the dot', { message: (_, connection) => sometimes({ waitMs: 20 })(connection) }, 0],
  ['takes the mail twice in words', { message: (_, connection) => sometimes('twice')(connection) }, 0],
])(
  'a server that now and then %s: everybody has the mail, and nobody is blamed',
  async (_what, script, repeats) => {
    await using scenario = await startDeliveryScenario({ connections: 2 })
    const { database, sink, clock } = scenario
    const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
    await addFollowers(database.pool, maria, 40, clock.now())
    sink.script = script
    await scenario.startWorker()
    await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
    await scenario.advanceUntil(SECOND_MS, () => sink.byMessageId.size >= 40)
    expect(sink.repeats()).toBeLessThanOrEqual(repeats)
    const { rowCount } = await database.pool.query('select from suppressions')
    expect(rowCount).toBe(0)
  },
)

test('a server that offers PIPELINING and refuses groups of commands: everybody has the mail, one command at a time', async () => {
  await using scenario = await startDeliveryScenario({ connections: 2 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 40, clock.now())
  let inGroup = false
  sink.script = {
    heard(text) {
      inGroup = text.startsWith('MAIL') && text.includes('DATA')
    },
    data: () => (inGroup ? '503 5.5.1 one at a time' : null),
  }
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await scenario.advanceUntil(SECOND_MS, () => sink.byMessageId.size >= 40)
  expect(sink.repeats()).toBe(0)
  expect(await scenario.countExceptions('true')).toBe(0)
  expect(await scenario.countRanges('holds > 0')).toBe(0)
})
