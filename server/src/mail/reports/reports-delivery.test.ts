import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { BOUNCES, bounce, openReportMailbox } from '../../../test/mails/mail-reports.ts'
import { startTcpProxy } from '../../../test/processes/tcp-proxy.ts'
import { queueMail } from '../outbox/queue-mail.ts'

const OPERATOR = 'operator@tradepost.example'

test('each mail names itself in its envelope sender; a reader whose mail bounces has none for a day, and none at all once another one does; the others have all', async () => {
  await using mailbox = await openReportMailbox()
  await using scenario = await startDeliveryScenario({
    operatorEmail: OPERATOR,
    reports: { address: BOUNCES, mailboxUrl: mailbox.url, mailgunKey: null },
  })
  const { clock, database, sink } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, trader, 5, clock.now())
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 5)
  const senders = new Map(sink.kept.map(({ from, recipients }) => [recipients[0], from]))
  expect(new Set(senders.values()).size).toBe(5)
  for (const sender of senders.values()) expect(sender).toMatch(/^bounces\+[0-9a-v]{50}@mail\.example$/)
  for (const { raw } of sink.kept) expect(raw).toContain('From: "Tradepost" <signals@tradepost.example>')

  mailbox.arrive(bounce(senders.get(followers[2]) ?? ''))
  await scenario.advance(60_000)
  await expect.poll(() => mailbox.messages[0]?.seen).toBe(true)
  await publish(database.db, trader, { symbol: 'MSFT' }, clock.now())
  await sink.until(() => sink.total() === 9)
  await scenario.untilNothingIsLeft()
  expect(sink.byRecipient.get(followers[2] ?? '')).toBe(1)
  await scenario.advance(86_400_000)
  await publish(database.db, trader, { symbol: 'TSLA' }, clock.now())
  await sink.until(() => sink.total() === 14)
  const second = sink.kept.findLast(({ recipients }) => recipients[0] === followers[2])
  mailbox.arrive(bounce(second?.from ?? ''))
  await scenario.advance(60_000)
  await expect.poll(() => mailbox.messages[1]?.seen).toBe(true)
  await publish(database.db, trader, { symbol: 'NVDA' }, clock.now())
  await sink.until(() => sink.total() === 18)
  await scenario.untilNothingIsLeft()
  expect(followers.map((address) => sink.byRecipient.get(address))).toEqual([4, 4, 2, 4, 4])

  await queueMail(
    database.db,
    { kind: 'operator_notice', userId: null, facts: { subject: 'a', text: 'b' } },
    clock.now(),
  )
  await sink.until(() => sink.byRecipient.has(OPERATOR))
  expect(sink.kept.at(-1)?.from).toMatch(/^bounces\+[0-9a-v]{50}@mail\.example$/)
})

test('where mails to three of five followers bounce within the hour something is wrong of ours: all have the next, and the operator is notified once', async () => {
  await using mailbox = await openReportMailbox()
  await using scenario = await startDeliveryScenario({
    operatorEmail: OPERATOR,
    reports: { address: BOUNCES, mailboxUrl: mailbox.url, mailgunKey: null },
  })
  const { clock, database, sink } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, trader, 5, clock.now())
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 5)
  await scenario.untilNothingIsLeft()
  for (const { from } of sink.kept.slice(0, 3)) mailbox.arrive(bounce(from))
  await scenario.advance(60_000)
  await expect.poll(() => mailbox.messages.every(({ seen }) => seen)).toBe(true)
  await publish(database.db, trader, { symbol: 'MSFT' }, clock.now())
  await sink.until(() => followers.every((one) => sink.byRecipient.get(one) === 2))
  await sink.until(() => sink.byRecipient.get(OPERATOR) === 1)
  expect((await database.pool.query('select from suppressions')).rowCount).toBe(0)
})

test('mails go out and a worker stops while the mailbox of reports answers nothing', async () => {
  await using mailbox = await openReportMailbox()
  await using proxy = await startTcpProxy(mailbox.url)
  proxy.stall()
  await using scenario = await startDeliveryScenario({
    reports: { address: BOUNCES, mailboxUrl: proxy.url, mailgunKey: null },
  })
  const { clock, database, sink } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, trader, 3, clock.now())
  const worker = await scenario.startWorker()
  await expect.poll(() => proxy.connections()).toBe(1)
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 3)
  await worker.stop()
  const { rows } = await database.pool.query('select failures, next_at from report_mailbox')
  expect(rows).toEqual([{ failures: 0, next_at: clock.now() }])
})
