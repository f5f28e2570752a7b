import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { call, subscribe } from '../../../test/factories.ts'
import { addFollowers } from '../../../test/followers.ts'
import { closedInIt, haveGlitch, openedInIt, REASON, retract } from '../../../test/prices/glitch.ts'
import { insertTraders } from '../../../test/prices/proven-scenario.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'

const trader = (userId: string | undefined) => ({ userId: userId ?? '' }) as SignedIn

/** The mails that the outbox sends of retractions, by address. */
async function takeRetracted(testApp: TestApp) {
  const mails = await takeMails(testApp, ['prices_retracted'])
  expect(new Set(mails.map(({ to }) => to)).size).toBe(mails.length)
  return new Map(mails.map((mail) => [mail.to, mail]))
}

const stopsIn = (text = '') => text.match(/Unsubscribe from the mails about @\w+/g) ?? []

test('a mail lists the positions of all whom its reader follows and their own, with earlier and corrected prices, time and reason, and of nobody else', async () => {
  await using testApp = await buildTestApp()
  const traders = await insertTraders(testApp, 3)
  const [first, second, third] = traders
  const positions = [
    closedInIt(first ?? '', 'TOLD'),
    openedInIt(second ?? '', 'TOLD'),
    closedInIt(third ?? '', 'TOLD'),
  ]
  await haveGlitch(testApp, 'TOLD', { positions, close: 189.1 })
  const reader = await signIn(testApp)
  for (const id of [first, second]) await subscribe(testApp, reader, trader(id))
  await subscribe(testApp, trader(second), trader(first))
  expect(await retract(testApp, { symbol: 'TOLD' })).toMatchObject({ mailed: 4 })
  const mails = await takeRetracted(testApp)
  expect([...mails.keys()].toSorted()).toEqual(
    [reader.email, 'p1@example.com', 'p2@example.com', 'p3@example.com'].toSorted(),
  )

  const sent = mails.get(reader.email)
  expect(sent?.subject).toBe('Prices of TOLD were wrong, and we set them right')
  expect(sent?.text).toContain(`
Stock:       TOLD
Wrong from:  Mar 4, 2026, 14:40:00 UTC
Wrong until: Mar 4, 2026, 14:50:00 UTC
Price now:   $189.10
Reason:      ${REASON}
`)
  expect(sent?.text).toContain(`
@trader1
Opened:            Mar 3, 2026, 15:00:00 UTC
Close price:       $189.10, was $9999999.00
Profit, corrected: +89.10%

@trader2
Opened:     Mar 4, 2026, 14:41:00 UTC
Open price: $189.10, was $0.000100

View in Activity: `)
  for (const words of ['@trader1', '$189.10, was $9999999.00', '$189.10, was $0.000100', REASON, '/activity'])
    expect(sent?.html).toContain(words)
  expect(`${sent?.text}${sent?.html}`).not.toContain('trader3')
  expect(stopsIn(sent?.text)).toEqual([
    'Unsubscribe from the mails about @trader1',
    'Unsubscribe from the mails about @trader2',
  ])
  expect(sent?.headers).not.toHaveProperty('List-Unsubscribe')

  const both = mails.get('p2@example.com')
  expect(both?.text).toMatch(/\nYour position\n[^@]*Open price: [^@]*\n@trader1\n[^@]*Close price: /)
  expect(both?.headers).toHaveProperty('List-Unsubscribe')
  const own = mails.get('p3@example.com')
  expect(own?.text).toContain('\nYour position\n')
  expect(own?.text).toContain('because you publish')
  expect(stopsIn(own?.text)).toEqual([])
})

test('a mail shows twenty positions and how many more there are', async () => {
  await using testApp = await buildTestApp()
  const [id = ''] = await insertTraders(testApp, 1)
  const positions = Array.from({ length: 25 }, () => closedInIt(id, 'MANY'))
  await haveGlitch(testApp, 'MANY', { positions, close: 189.1 })
  await retract(testApp, { symbol: 'MANY' })
  const [mail] = (await takeRetracted(testApp)).values()
  expect(mail?.text?.match(/\nClose price: /g)).toHaveLength(20)
  expect(mail?.text).toContain('\nAnd 5 more, which Activity lists.\n')
})

test('nobody is mailed of a trader whose mails they stopped meanwhile; those who came later, and traders who get no mails, are not mailed', async () => {
  await using testApp = await buildTestApp()
  const traders = await insertTraders(testApp, 4)
  const [first, second, suspended, refused] = traders
  const positions = traders.map((id) => closedInIt(id, 'STOP'))
  await haveGlitch(testApp, 'STOP', { positions, close: 189.1 })
  await testApp.pool.query('update users set suspended_at = created_at where id = $1', [suspended])
  await testApp.pool.query('insert into suppressions (user_id, created_at) values ($1, now())', [refused])
  const [ofBoth, ofOne, late] = [await signIn(testApp), await signIn(testApp), await signIn(testApp)]
  const [ofNobody, again] = [await signIn(testApp), await signIn(testApp)]
  for (const id of [first, second])
    for (const person of [ofBoth, ofNobody, again]) await subscribe(testApp, person, trader(id))
  await subscribe(testApp, ofOne, trader(first))
  expect(await retract(testApp, { symbol: 'STOP' })).toMatchObject({ mailed: 6 })
  await subscribe(testApp, late, trader(first))
  expect(await retract(testApp, { symbol: 'STOP' })).toMatchObject({ prices: 0, mailed: 0 })
  await testApp.pool.query('update subscriptions set mail_muted_at = started_at where trader_id = $1', [
    first,
  ])
  const switchAll = (who: SignedIn, enabled: boolean) =>
    call(testApp, who, 'POST', '/v1/accounts/position-mails', { enabled })
  await switchAll(ofNobody, false)
  await switchAll(again, false)
  await switchAll(again, true)
  const mails = await takeRetracted(testApp)
  expect([...mails.keys()].toSorted()).toEqual([ofBoth.email, 'p1@example.com', 'p2@example.com'].toSorted())
  expect(mails.get(ofBoth.email)?.text).toContain('@trader2')
  expect(mails.get(ofBoth.email)?.text).not.toContain('@trader1')
})

test('thousands of followers are queued once each, also when the queueing was cut off', async () => {
  await using testApp = await buildTestApp()
  const { clock, pool } = testApp
  const [id = '', other = ''] = await insertTraders(testApp, 2)
  // Two events of one trader, and followers of both.
  const positions = [closedInIt(id, 'LOTS'), openedInIt(id, 'LOTS'), closedInIt(other, 'LOTS')]
  await haveGlitch(testApp, 'LOTS', { positions, close: 189.1 })
  const addresses = await addFollowers(pool, { traderId: id, username: 'big' }, 2100, clock.now())
  await pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$`,
  )
  await pool.query(`create trigger cut_off before insert on outbox for each row
    when (new.user_id = '${(await idsOf(testApp, [addresses[2050] ?? '']))[0]}') execute function refuse()`)
  await expect(retract(testApp, { symbol: 'LOTS' })).rejects.toThrow('cut off')
  const { rowCount: before } = await pool.query('select from outbox')
  await pool.query('drop trigger cut_off on outbox')
  const { mailed, prices } = await retract(testApp, { symbol: 'LOTS' })
  expect(prices).toBe(0)
  expect((before ?? 0) + mailed).toBe(2102)
  expect(before).toBeGreaterThan(1000)
  const { rows } = await pool.query('select user_id from outbox')
  expect(new Set(rows.map(({ user_id }) => user_id)).size).toBe(2102)
})

test('a reader who came between two events of a trader is mailed of the second one', async () => {
  await using testApp = await buildTestApp()
  const { pool } = testApp
  const [id = ''] = await insertTraders(testApp, 1)
  await haveGlitch(testApp, 'PART', {
    positions: [closedInIt(id, 'PART'), closedInIt(id, 'PART')],
    close: 189.1,
  })
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
    create trigger cut_off before insert on position_adjustments
      for each row when (new.event_no = 2) execute function refuse()`)
  await expect(retract(testApp, { symbol: 'PART' })).rejects.toThrow('cut off')
  await pool.query('drop trigger cut_off on position_adjustments')
  const between = await signIn(testApp)
  await subscribe(testApp, between, trader(id))
  expect(await retract(testApp, { symbol: 'PART' })).toMatchObject({ prices: 1, mailed: 2 })
  const mails = await takeRetracted(testApp)
  expect(mails.get(between.email)?.text?.match(/\nClose price: /g)).toHaveLength(1)
  expect(mails.get('p1@example.com')?.text?.match(/\nClose price: /g)).toHaveLength(2)
})

async function idsOf({ pool }: TestApp, addresses: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('select id from users where email = any($1)', [addresses])
  return rows.map(({ id }) => id)
}
