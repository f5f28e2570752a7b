import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call } from '../../test/factories.ts'
import { addFollowers, makeCrowdTrader } from '../../test/followers.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { newId } from '../platform/ids.ts'
import { setUsername } from './set-username.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
afterAll(() => testApp.close())
const { clock, db, pool } = testApp

const TRADERS = [
  'maria',
  'Warren',
  'lilypond',
  'Trail10',
  'bonnie',
  'solomon',
  'RainMaker',
  'old-Bull',
  'kim_oil',
  'modern',
]

/** Ways to write a name so that it is read as the same one. */
const WAYS: ((name: string) => string)[] = [
  (name) => `${name}-`,
  (name) => `${name}_`,
  (name) => `${name}--`,
  (name) => name.toUpperCase(),
  (name) => name.replaceAll(/o/gi, '0'),
  (name) => name.replaceAll(/i/gi, '1'),
  (name) => name.replaceAll(/l/gi, 'I'),
  (name) => name.replaceAll(/[il]/gi, 'l'),
  (name) => name.replaceAll(/m/gi, 'rn'),
  (name) => name.replaceAll(/rn/gi, 'M'),
  (name) => name.replaceAll(/[-_]/g, ''),
  (name) => `${name.slice(0, 2)}-${name.slice(2)}`,
  (name) => `${name.slice(0, 3)}_${name.slice(3)}`,
  (name) => [...name].join('-'),
  (name) => `${name.slice(0, -1)}_${name.slice(-1)}`,
  (name) => `${name}-_`,
  (name) => `${name.toUpperCase()}_`,
  (name) => `the-${name}`,
  (name) => `The_${name}`,
  (name) => `real-${name}`,
  (name) => `${name}-real`,
  (name) => `${name}_the`,
  (name) => `official-${name}`,
  (name) => `${name}_official`,
  (name) => `${name}-Official`,
  (name) => `the-real-${name}`,
  (name) => `${name}-rea1`,
  (name) => `reaI_${name}`,
  (name) => `${name}-0fficial`,
  (name) => `${name}-offlcial`,
  (name) => `${name.replaceAll(/i/gi, '1').replaceAll(/o/gi, '0')}-`,
  (name) => `the-${name.replaceAll(/m/gi, 'rn')}`,
  (name) => `${name.replaceAll(/o/gi, '0')}_real`,
]

const HONEST =
  `mario mariana marina marta martin mariam marlow marlon mara mari mar1 maria2 marias amaria tmaria mariaa
  warner warrant warrens warlen wanen darren barren lily lilypad lilypod lilyponds pondlily trail1 trails10 trail11 trial10 bonny bonniee
  bonn bonita soloman salomon solo solemn rainman rainmakers rainmake brainmaker oldbill oldbulls oldball boldbull kim kimchi kimoils
  oilkim modem2 moderns modernist postmodern realty realist reality realmadrid theo theodor theresa thea bathe clothe officiall officer
  anna bjorn celine dmitri elif fatima giorgos hiroshi ingrid jorge kwame lakshmi mehmet nguyen olga pawel quentin rashid soren
  tomasz umberto valeria wiktor xiaoming yusuf zoltan aiko bogdan chidi diego emre frida gustav hanna ivan jelena katarzyna lars mikko
  nadia ousmane petra ramon sanna tarik ursula vikram wenjun ximena yuki zofia abebe birgit cristiano dagmar eduardo feng greta
  haruka ines joaquin kenji ludmila magnus noura oskar priya rosalia sven takumi ulrike vincenzo walid yasmin zeynep aarav beatriz
  caoimhe davor eirik fiona gaelle henrik ilona jakub kiran leandro milos nikhil oona paolo quynh renata stefan thanh
  uwe vera willem xavier yannick zlatan alpha beta gamma delta bullish bearish longtail shortfall valuehunter dividends
  compounder marginal quantum stochastic momentum breakout pullback candle sector hedge arbitrage volatile contrarian
  swingstate daylight nightowl earlybird ledger ticker bourse wallflower mainstreet`
    .split(/\s+/)
    .slice(0, 200)

const traders = await Promise.all(TRADERS.map((name) => makeCrowdTrader(pool, name, clock.now())))
for (const trader of traders) await addFollowers(pool, trader, 3, clock.now())

async function take(username: string): Promise<string> {
  const userId = newId()
  await pool.query('insert into users (id, email, created_at, updated_at) values ($1, $2, $3, $3)', [
    userId,
    `${userId}@people.example`,
    clock.now(),
  ])
  return setUsername(
    { db, secret: makeSecretKey(testApp.settings.authSecret) },
    { userId, sessionId: userId, email: '' },
    username,
    clock.now(),
  )
}

test('two hundred names that look like those of ten traders are taken, and two hundred others are free', async () => {
  const alike = new Set(
    TRADERS.flatMap((name) => WAYS.map((way) => way(name))).filter(
      (name) => !TRADERS.includes(name) && name.length <= 15,
    ),
  )
  expect(alike.size).toBeGreaterThanOrEqual(200)
  const person = await signIn(testApp)
  for (const username of alike) {
    const answer = await call(testApp, person, 'POST', '/v1/accounts/username', { username })
    expect({ username, code: answer.body.code }).toEqual({ username, code: 'username_taken' })
  }
  expect(new Set(HONEST).size).toBe(200)
  for (const username of HONEST) expect(await take(username)).toBe(username)
})

test('a trader with two followers, or with three who have left, keeps nobody from a name', async () => {
  const few = await makeCrowdTrader(pool, 'quietone', clock.now())
  await addFollowers(pool, few, 2, clock.now())
  expect(await take('quiet-one')).toBe('quiet-one')
  const left = await makeCrowdTrader(pool, 'loudone', clock.now())
  await addFollowers(pool, left, 3, clock.now())
  await pool.query(
    "update subscriptions set status = 'canceled', ended_at = $2, entitled_until_event = 0 where trader_id = $1",
    [left.traderId, clock.now()],
  )
  expect(await take('loud_one')).toBe('loud_one')
})

test('a refused name leaves the account without one, and another can be taken', async () => {
  const person = await signIn(testApp)
  const set = async (username: string) =>
    (await call(testApp, person, 'POST', '/v1/accounts/username', { username })).body
  expect(await set('the-maria')).toMatchObject({ code: 'username_taken' })
  expect((await call(testApp, person, 'GET', '/v1/accounts/configuration')).body).toMatchObject({
    username: '',
  })
  expect((await set('honest-name')).code).toBeUndefined()
  expect(await set('mar1a')).toMatchObject({ code: 'username_already_set' })
})

test('the skeleton of a name is its own skeleton', async () => {
  const letters = [...'abeilmnorstz0159-_']
  const name = fc
    .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 15 })
    .map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 50, maxLength: 50 }), async (names) => {
      const { rows } = await pool.query(
        `select name from unnest($1::text[]) name where username_skeleton(username_skeleton(name)) <> username_skeleton(name)
           or username_skeleton(upper(name) || '-') <> username_skeleton(name)
           or username_skeleton(translate(name, 'oil', '011')) <> username_skeleton(name)
           or username_skeleton(name || '-rea1') <> username_skeleton(name || '-real')`,
        [names],
      )
      expect(rows).toEqual([])
    }),
    { numRuns: 40 },
  )
})
