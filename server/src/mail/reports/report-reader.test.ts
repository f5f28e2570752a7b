import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader } from '../../../test/followers.ts'
import {
  bounce,
  complaint,
  openReportScenario,
  type ReportScenario,
} from '../../../test/mails/mail-reports.ts'
import { readWhenDue } from './report-reader.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Reads what has arrived, as a worker does. @returns how many messages there were */
function read({ clock, deps }: ReportScenario): Promise<number | null> {
  clock.advance(60_000)
  return readWhenDue(deps, new AbortController().signal)
}

test('a complaint suppresses at once, and an address that does not exist at its second bounce a day later; a delay, a policy and other mail hold nothing against anybody', async () => {
  await using scene = await openReportScenario()
  const { addPerson, mailbox, pathOf } = scene
  const ids = new Map<string, string>()
  const arrive = async (name: string, message: (returnPath: string) => string) => {
    ids.set(name, await addPerson(name))
    mailbox.arrive(message(pathOf(ids.get(name) ?? '')))
  }
  await arrive('gone', (path) => bounce(path))
  await arrive('gone-too', (path) =>
    bounce(path.toUpperCase(), { Status: '5.0.0', 'Diagnostic-Code': 'smtp; 550 5.1.10 no such domain' }),
  )
  await arrive('angry', (path) => complaint(path))
  await arrive('delayed', (path) => bounce(path, { Action: 'delayed', Status: '4.4.1' }))
  await arrive('expired', (path) => bounce(path, { Status: '4.4.7' }))
  await arrive('got-it', (path) => bounce(path, { Action: 'delivered', Status: '2.0.0' }))
  await arrive('blocked', (path) => bounce(path, { Status: '5.7.1' }))
  await arrive('blocked-too', (path) => bounce(path, { 'Diagnostic-Code': 'smtp; 550 5.7.26 no DMARC' }))
  await arrive('full', (path) => bounce(path, { Status: '5.2.2' }))
  await arrive('content', (path) => complaint(path, 'not-spam'))
  await arrive('away', (path) => `To: <${path}>\r\nSubject: On holiday\r\n\r\nI am away: 5.1.1\r\n`)

  expect(await read(scene)).toBe(11)
  expect(await scene.suppressed()).toEqual(['angry@people.example complained'])
  expect(await scene.unread()).toEqual({ 'no failure': 2, 'no complaint': 1, 'no report': 1 })
  const { rows } = await scene.pool.query(
    "select about, counts, status from mail_reports where kind = 'bounce' order by status, about",
  )
  expect(rows).toEqual([
    { about: 'recipient', counts: true, status: '4.4.7' },
    { about: 'address', counts: true, status: '5.1.1' },
    { about: 'address', counts: true, status: '5.1.10' },
    { about: 'recipient', counts: true, status: '5.2.2' },
    { about: 'policy', counts: false, status: '5.7.1' },
    { about: 'policy', counts: false, status: '5.7.26' },
  ])
  // All of them are flagged, so that nothing is read again.
  expect(await read(scene)).toBe(0)

  // A faulty server refuses several mails within hours.
  const again = (name: string, mail: string) => mailbox.arrive(bounce(pathOf(ids.get(name) ?? '', mail)))
  scene.clock.advance(DAY_MS - 3 * 60_000)
  for (const name of ['gone', 'gone-too']) again(name, 'the second')
  expect(await read(scene)).toBe(2)
  expect(await scene.suppressed()).toEqual(['angry@people.example complained'])
  again('gone', 'the third')
  expect(await read(scene)).toBe(1)
  expect(await scene.suppressed()).toEqual(['angry@people.example complained', 'gone@people.example bounced'])
})

test('a bounce or complaint that names a mail nobody signed concerns nobody', async () => {
  await using scene = await openReportScenario()
  const ann = await scene.addPerson('ann')
  const path = scene.pathOf(ann)
  const forged = `${path.slice(0, 20)}${path[20] === '0' ? '1' : '0'}${path.slice(21)}`
  scene.mailbox.arrive(bounce(forged))
  scene.mailbox.arrive(complaint(forged))
  scene.mailbox.arrive(bounce('bounces@mail.example', { 'Final-Recipient': 'rfc822; ann@people.example' }))
  scene.mailbox.arrive(bounce(path.replace('mail.example', 'other.example')))
  expect(await read(scene)).toBe(4)
  expect(await scene.suppressed()).toEqual([])
  expect(await scene.unread()).toEqual({ 'of no mail of ours': 4 })
})

test('the same report counts once, also when it is read again after a suppression was lifted', async () => {
  await using scene = await openReportScenario()
  const path = scene.pathOf(await scene.addPerson('ann'))
  for (const _ of [1, 2]) scene.mailbox.arrive(complaint(path))
  expect(await read(scene)).toBe(2)
  const lifted = await scene.pool.query('delete from suppressions')
  expect(lifted.rowCount).toBe(1)
  // The state after a crash between the record and the flag.
  for (const message of scene.mailbox.messages) message.seen = false
  expect(await read(scene)).toBe(2)
  expect(await scene.suppressed()).toEqual([])
})

test('a mailbox that is full for three mails over three days suppresses, not before, and no mails of other kinds do', async () => {
  await using scene = await openReportScenario()
  const [ann, bob, cid] = [
    await scene.addPerson('ann'),
    await scene.addPerson('bob'),
    await scene.addPerson('cid'),
  ]
  const full = async (mail: string) => {
    scene.mailbox.arrive(bounce(scene.pathOf(ann, mail), { Status: '5.2.2' }))
    scene.mailbox.arrive(bounce(scene.pathOf(bob, 'the same'), { Status: '5.2.2' }))
    scene.mailbox.arrive(bounce(scene.pathOf(cid, mail, 'sign-in')))
    await read(scene)
  }
  await full('one')
  await full('two')
  await full('three')
  scene.clock.advance(3 * DAY_MS - 5 * 60_000)
  await full('four')
  expect(await scene.suppressed()).toEqual([])
  scene.clock.advance(60_000)
  await full('five')
  expect(await scene.suppressed()).toEqual(['ann@people.example bounced'])
})

test('three mails that somebody gave up after days suppress as three refused ones do, and delays of any number do not', async () => {
  await using scene = await openReportScenario()
  const [ann, bob] = [await scene.addPerson('ann'), await scene.addPerson('bob')]
  const timedOut = async (mail: string) => {
    scene.mailbox.arrive(
      bounce(scene.pathOf(ann, mail), { Status: '4.4.1', 'Diagnostic-Code': 'X-Relay; timed out' }),
    )
    scene.mailbox.arrive(bounce(scene.pathOf(bob, mail), { Status: '4.4.1', Action: 'delayed' }))
    await read(scene)
  }
  await timedOut('one')
  scene.clock.advance(40 * HOUR_MS)
  await timedOut('two')
  expect(await scene.suppressed()).toEqual([])
  scene.clock.advance(40 * HOUR_MS)
  await timedOut('three')
  expect(await scene.suppressed()).toEqual(['ann@people.example bounced'])
})

test('a complaint that names its mail by List-Unsubscribe alone and one that names it by its return path are of one mail', async () => {
  await using scene = await openReportScenario()
  const { clock, mailbox, pool } = scene
  const trader = await makeCrowdTrader(pool, 'maria', clock.now())
  await addFollowers(pool, trader, 2, clock.now())
  const { rows } = await pool.query<{ token: string; id: string }>(
    'select unsubscribe_token as token, subscriber_id as id from subscriptions order by mail_no',
  )
  const quoting = (token: string) =>
    complaint('').replace(
      'Subject: maria opened AAPL',
      [
        `Message-ID: <7.${'a'.repeat(24)}.${trader.traderId}@tradepost.example>`,
        `List-Unsubscribe: <https://tradepost.example/mail/unsubscribe/${token}>`,
      ].join('\r\n'),
    )
  const { id = '', token = '' } = rows[0] ?? {}
  mailbox.arrive(quoting(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`))
  mailbox.arrive(quoting(`${token}x`))
  expect(await read(scene)).toBe(2)
  expect(await scene.suppressed()).toEqual([])
  mailbox.arrive(quoting(token))
  mailbox.arrive(complaint(scene.pathOf(id, `7.${trader.traderId}`)))
  expect(await read(scene)).toBe(2)
  expect(await scene.suppressed()).toEqual(['0@maria.example complained'])
  expect((await pool.query('select from mail_reports')).rowCount).toBe(1)
  expect(await scene.unread()).toEqual({ 'of no mail of ours': 2 })
})

test('bounces of twenty people within an hour mean us: what was held against them is taken back and the operator is notified', async () => {
  await using scene = await openReportScenario({ operatorEmail: 'operator@tradepost.example' })
  const longGone = await scene.addPerson('long-gone')
  const known: string[] = []
  for (let index = 1; index <= 10; index += 1) known.push(await scene.addPerson(`p${index}`))
  const arrive = (ids: string[], mail: string) => {
    for (const id of ids) scene.mailbox.arrive(bounce(scene.pathOf(id, mail)))
    return read(scene)
  }
  await arrive([longGone, ...known], 'the first')
  scene.clock.advance(DAY_MS)
  await arrive([longGone], 'the second')
  scene.clock.advance(HOUR_MS)
  await arrive(known, 'the second')
  expect((await scene.suppressed()).length).toBe(11)
  const others: string[] = []
  for (let index = 11; index <= 20; index += 1) others.push(await scene.addPerson(`p${index}`))
  await arrive(others, 'the first')
  expect(await scene.suppressed()).toEqual(['long-gone@people.example bounced'])
  const { rows } = await scene.pool.query("select facts->>'subject' as subject from outbox")
  expect(rows).toEqual([{ subject: 'so many mails bounce that something of ours is wrong' }])
})
