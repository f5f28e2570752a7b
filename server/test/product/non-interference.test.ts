import { afterAll, expect, test } from 'vitest'
import {
  act,
  makeTwoWorlds,
  openIn,
  passNight,
  receiveRound,
  turnRound,
  type World,
} from '../people/two-worlds.ts'
import { type Act, CLOSES, FIRST_DAY, SECOND_DAY } from '../people/two-worlds-acts.ts'
import { doEverything } from '../people/two-worlds-does.ts'
import { type Known, type Look, lookAround, withoutRandom } from '../people/two-worlds-looks.ts'
import { mailsToStranger } from '../people/two-worlds-mails.ts'
import { OF_THE_BODY, PUBLIC_BY_RULE } from './public-by-rule.ts'

const { clock, worlds } = await makeTwoWorlds()
afterAll(async () => {
  for (const world of worlds) await world.close()
})
const [quiet, acting] = worlds
const known: readonly [Known, Known] = [new Map(), new Map()]
const usedLines = new Set<string>()

/** Looks in the world where nobody acts are the same as long as no time passes. */
let seen: { at: number; looks: Look[] } = { at: 0, looks: [] }

/** The answers to a stranger that differ in the world where somebody acts, but for what is public by rule. */
async function differences(): Promise<string[]> {
  const at = clock.now().getTime()
  if (seen.at !== at) seen = { at, looks: await lookAround(quiet, known[0]) }
  const looks = await lookAround(acting, known[1])
  const { rows } = await acting.testApp.pool.query<{ symbol: string }>(
    'select symbol from positions where trader_id = $1 and closed_at is null and public_at > $2',
    [acting.actor.userId, new Date(at)],
  )
  const held = rows.map(({ symbol }) => symbol)
  return seen.looks.flatMap((look, nth) => differencesOf(look, looks[nth], held))
}

/** @param held tickers that the actor has open within the plan: these are nowhere, in no public line either */
function differencesOf({ call, places }: Look, other: Look | undefined, held: readonly string[]): string[] {
  const all = [...new Set([...places.keys(), ...(other?.places.keys() ?? [])])]
  const differ = all.filter((place) => places.get(place) !== other?.places.get(place))
  const isPublic = (place: string) => {
    const line = PUBLIC_BY_RULE.find((each) => each.call.test(call) && each.place.test(place))
    if (line) usedLines.add(line.because)
    return line !== undefined && !held.some((symbol) => other?.places.get(place)?.includes(symbol))
  }
  const secret = differ.filter((place) => !isPublic(place) && !OF_THE_BODY.test(place))
  // They differ with the body, so they are no differences of their own where it differs.
  const ofTheBody = differ.filter((place) => OF_THE_BODY.test(place))
  const reported = secret.length + ofTheBody.length === differ.length ? [...secret, ...ofTheBody] : secret
  return reported.map((place) => `${call} ${place}: ${places.get(place)} | ${other?.places.get(place)}`)
}

/** The messages of a feed; marks by themselves, since their order within a round is by chance in each world. */
function receivedIn({ received }: World): { marks: string[]; others: string[] } {
  const known = new Map<string, string>()
  const isMark = (text: string) => text.startsWith('{"symbol"')
  return {
    marks: received.filter(isMark).toSorted(),
    others: received.filter((text) => !isMark(text)).map((text) => withoutRandom(text, known)),
  }
}

/** Each act by itself, and everything that a stranger can ask right after it; then rounds of marks, and the feed. */
async function expectNothingOf(acts: readonly Act[]): Promise<void> {
  for (const [what, doIt] of acts) {
    await doIt(acting)
    expect.soft(await differences(), what).toEqual([])
  }
  for (const _round of [1, 2, 3]) {
    await turnRound(clock, worlds)
    expect.soft(await differences(), 'a round of marks later').toEqual([])
    await receiveRound(clock, worlds)
  }
  expect(receivedIn(acting), 'the feed').toEqual(receivedIn(quiet))
}

test('two worlds in which nobody acts are the same to a stranger', async () => {
  await expectNothingOf([])
})

test('a stranger gets the same answers, whatever somebody types, checks, opens within the plan, looks at or follows', async () => {
  await expectNothingOf(FIRST_DAY)
})

test('the evening’s closes and the night’s scores reveal nothing of it to a stranger', async () => {
  await passNight(clock, worlds, '2026-03-05')
  expect(await differences()).toEqual([])
  await expectNothingOf(SECOND_DAY)
})

test('a close reveals what is public of it, and nothing of what is still open', async () => {
  await expectNothingOf(CLOSES)
  await passNight(clock, worlds, '2026-03-06')
  await passNight(clock, worlds, '2026-03-07')
  expect(await differences()).toEqual([])
})

test('acts of the stranger and of the trader whom they follow are answered alike in both worlds', async () => {
  clock.set(new Date('2026-03-09T15:00:00.000Z'))
  await turnRound(clock, worlds, async () => {
    for (const world of worlds) {
      // Tickers that somebody else holds in one of the worlds, where the round will ask about them.
      await openIn(world, world.trader, 'FREC')
      await openIn(world, world.stranger, 'FRED')
      await act(world, world.stranger, 'POST', '/v1/feedback', { feedback: 'A word to the operator.' })
    }
  })
  expect(await differences()).toEqual([])
  await expectNothingOf([])
})

test('the mails that a stranger gets are the same, with all their headers', async () => {
  const [ofQuiet, ofActing] = [await mailsToStranger(quiet), await mailsToStranger(acting)]
  expect(ofQuiet.map((mail) => /^subject: (.*)$/im.exec(mail)?.[1])).toEqual([
    '@tobias opened FOLA at $100.00',
    '@tobias opened FREC at $115.00',
  ])
  expect(ofActing).toEqual(ofQuiet)
})

test('a position is secret until its plan is over by a day, and everybody’s from then on', async () => {
  clock.set(new Date('2026-03-26T14:55:00.000Z'))
  expect(await differences()).toEqual([])
  const shownAt = async (instant: string) => {
    clock.set(new Date(instant))
    expect(await differences()).toEqual([])
    const profile = await act(acting, acting.stranger, 'GET', '/v1/accounts/profile?username=anton')
    return (profile.pastPlan as { symbol: string }[]).map(({ symbol }) => symbol).toSorted()
  }
  expect(await shownAt('2026-03-26T14:59:59.000Z')).toEqual([])
  expect(await shownAt('2026-03-26T15:30:00.000Z')).toEqual(['FOLA', 'OWNB'])
  expect(await shownAt('2026-03-27T15:30:00.000Z')).toEqual(['FOLA', 'FREC', 'FRED', 'OWNB'])
})

test('ten paid months that went back are the one thing that everybody reads of returns', async () => {
  await acting.testApp.pool.query(
    `insert into debts (trader_id, id, subscriber_id, kind, stripe_subscription_id, subject, invoice_id, cause, amount_cents, currency,
       state, created_at, settled_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'empty_month', 'sub', 'in_' || nth, 'in_' || nth, 'empty_2026-02-01', 1000, 'usd',
       'settled', $2, $2 from generate_series(1, 10) nth`,
    [acting.actor.userId, clock.now()],
  )
  expect(await differences()).toEqual([])
  clock.set(new Date('2026-04-01T00:00:00.000Z'))
  expect(await differences()).toEqual([])
})

test('every call of a stranger is answered the same', async () => {
  const looks = [await doEverything(quiet, known[0]), await doEverything(acting, known[1])] as const
  expect(looks[0].flatMap((look, nth) => differencesOf(look, looks[1][nth], []))).toEqual([])
  expect(Object.fromEntries(looks[0].map(({ call, places }) => [call, places.get('status')]))).toMatchObject({
    openPosition: '409',
    closePosition: '200',
    sendFeedback: '201',
    switchSubscriptionMail: '200',
    agreeToPrice: '200',
    turnOnPush: '201',
  })
})

test('every line of what is public by rule is one that was needed', () => {
  expect(PUBLIC_BY_RULE.map(({ because }) => because).filter((because) => !usedLines.has(because))).toEqual(
    [],
  )
})
