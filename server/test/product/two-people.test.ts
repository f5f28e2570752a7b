import { afterAll, beforeAll, expect, test } from 'vitest'
import { call as ask } from '../factories.ts'
import {
  buy,
  checkout,
  makeCustomer,
  makePaidTrader,
  startBillingScenario,
} from '../money/billing-scenario.ts'
import { makeOthers, makeTwo, type Others } from '../people/two-people.ts'
import type { World } from '../people/two-people-ask.ts'
import { BEARERS } from '../people/two-people-bearers.ts'
import { type Call, productCalls } from '../people/two-people-calls.ts'
import { type Answered, isDone, type Place, placesOf, putAt, send } from '../people/two-people-cells.ts'
import { changeOf, lookAtRows, notifiedBy, readValues, type Two } from '../people/two-people-looks.ts'
import { belongsAt, HARMLESS, takesFewTries } from '../people/two-people-rules.ts'
import { ABOUT_NOBODY, otherCalls } from '../people/two-people-wire.ts'
import { startQuoteServer } from '../prices/quote-server.ts'
import { documentedFields } from './documented-calls.ts'
import { listRoutes } from './list-routes.ts'

const quotes = await startQuoteServer()
const scenario = await startBillingScenario({ quotes })
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await quotes.close()
})
const { testApp } = scenario
const world: World = { testApp, quotes }
const calls = [...productCalls, ...otherCalls]

let two: Two

/** Two people who have paid and are paid by Stripe. */
async function makePaidTwo(): Promise<Two> {
  const others: Others = {
    trader: await makePaidTrader(scenario),
    unpaid: await makePaidTrader(scenario),
    follower: await makeCustomer(scenario),
  }
  const [whose, sender] = await makeTwo(world, others, async (person) => {
    await ask(testApp, person, 'POST', '/v1/accounts/trader')
    const { rows } = await testApp.pool.query(
      'select stripe_account_id from payout_accounts where user_id = $1',
      [person.userId],
    )
    await scenario.sandbox.control('restore', { id: rows[0].stripe_account_id })
    await scenario.settle()
    await ask(testApp, person, 'POST', '/v1/accounts/customer')
    await buy(scenario, person, others.trader)
    await buy(scenario, others.follower, person)
    await checkout(scenario, person, others.unpaid)
  })
  return readValues(world, whose, sender)
}

/** The answers to the other person by every call that reads; places of all traders aside, which change with the sender's own. */
async function lookAtAnswers({ whose }: Two): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const call of productCalls) {
    if (call.method !== 'GET' || call.streams || ['leaderboard', 'offered', 'proven'].includes(call.name))
      continue
    const { status, text } = await send(world, call, await call.own(world, whose), whose.session.access_token)
    answers[call.name] = `${status} ${text}`
  }
  return answers
}

type Look = { rows: Record<string, string[]>; answers: Record<string, string> }
let look: Look

/** How the other person's world is. Their calls are asked again only where their rows are other ones than at the last look. */
async function lookBefore(): Promise<Look> {
  const rows = await lookAtRows(world, two.whose)
  const isSame = JSON.stringify(rows) === JSON.stringify(look.rows)
  look = { rows, answers: isSame ? look.answers : await lookAtAnswers(two) }
  return look
}

beforeAll(async () => {
  two = await makePaidTwo()
  // The first look makes an account's row and notes a session as seen.
  await lookAtAnswers(two)
  look = { rows: await lookAtRows(world, two.whose), answers: await lookAtAnswers(two) }
})

const used = new Set<string>()

/** The faults of an answer to a request with another person's value. */
function faultsOf(key: string, answer: Answered, sent: string): string[] {
  const revealed = notifiedBy(answer, two.secrets, sent)
  const faults = revealed.map((of) => `${key} reveals ${of}`)
  if (answer.status >= 500 || answer.status === 429) faults.push(`${key} is answered ${answer.status}`)
  if (!isDone(answer)) return faults
  const rule = [key, key.replace(/<.*/, '< anything')].find((each) => each in HARMLESS)
  if (rule === undefined) faults.push(`${key} is done: ${answer.status}`)
  else used.add(rule)
  return faults
}

/** Puts each value of the other person into one place of the sender's own request. */
async function tryPlace(call: Call, place: Place): Promise<string[]> {
  const { sender, values } = two
  const at = `${call.name} ${place}`
  const faults: string[] = []
  let own = await call.own(world, sender)
  for (const [of, value] of values) {
    const key = `${at} < ${of}`
    if (!belongsAt(at, of) || key in BEARERS) continue
    const answer = await send(world, call, putAt(own, place, value), sender.session.access_token)
    faults.push(...faultsOf(key, answer, value))
    if (isDone(answer) || takesFewTries(at)) own = await call.own(world, sender)
  }
  return faults
}

test.each(calls)('$name does nothing with what another person has', async (call) => {
  const { sender, whose } = two
  const { token: _theirs, ...whole } = await call.own(world, whose)
  const own = await call.own(world, sender)
  const places = placesOf(own)
  const isWhole = places.length > 1 && JSON.stringify(whole) !== JSON.stringify(own)
  const before = await lookBefore()
  for (const place of places) {
    expect(await tryPlace(call, place)).toEqual([])
    expect(await lookAtRows(world, whose), place).toEqual(before.rows)
  }
  if (isWhole && !(`${call.name} whole` in BEARERS)) {
    const answer = await send(world, call, whole, sender.session.access_token)
    expect(faultsOf(`${call.name} whole`, answer, JSON.stringify(whole))).toEqual([])
  }
  // The same request is right with what is the sender's own, so that nothing else was refused above.
  const done = await send(world, call, await call.own(world, sender), sender.session.access_token)
  expect([done.status, done.text]).toEqual([call.answers, expect.any(String)])
  expect(notifiedBy(done, two.secrets, '')).toEqual([])
  expect({ rows: await lookAtRows(world, whose), answers: await lookAtAnswers(two) }).toEqual(before)
})

test('every rule of what is harmless is needed', () => {
  expect(Object.keys(HARMLESS).filter((rule) => !used.has(rule))).toEqual([])
})

test('every field of the API document and every route of the server is tried', async () => {
  const tried: Record<string, string[]> = {}
  for (const call of productCalls) {
    const { body, params, query } = await call.own(world, two.sender)
    const name = call.name.replace(' (otherwise)', '')
    tried[name] = [...(tried[name] ?? []), ...Object.keys({ ...params, ...query, ...(body as object) })]
  }
  for (const [call, fields] of Object.entries(documentedFields()))
    expect(tried[call], call).toEqual(expect.arrayContaining(Object.keys(fields)))
  const routes = listRoutes(testApp.app.printRoutes({ commonPrefix: false })).flatMap(({ methods, path }) =>
    methods
      .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
      .map((method) => `${method} ${path}`),
  )
  const known = [...calls.map(({ method, path }) => `${method} ${path}`), ...ABOUT_NOBODY]
  expect([...new Set(routes)].sort()).toEqual([...new Set(known)].sort())
})

test.each(Object.entries(BEARERS))('%s does what it is for and no more', async (key, bearer) => {
  const [at = '', of] = key.split(' < ')
  const place = at.split(' ').at(-1) ?? ''
  const call = calls.find(({ name }) => at === `${name} ${place}`)
  if (!call) throw new Error(`no call is named ${at}`)
  const [whose, sender] = await makeTwo(world, await makeOthers(world))
  const { secrets, values } = await readValues(world, whose, sender)
  const sent =
    of === undefined
      ? await call.own(world, whose)
      : putAt(await call.own(world, sender), place, values.get(of) ?? '')
  const before = await lookAtRows(world, whose)
  const answer = await send(world, call, sent, sender.session.access_token)
  const after = await lookAtRows(world, whose)
  const tables = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const changes = tables.flatMap((table) => changeOf(table, before[table], after[table]))
  const reveals = notifiedBy(answer, secrets, JSON.stringify(sent)).sort()
  const { because: _because, ...expected } = bearer
  expect({ answers: answer.status, changes, reveals }, answer.text).toEqual(expected)
})
