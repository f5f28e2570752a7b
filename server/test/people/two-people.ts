import { expect } from 'vitest'
import { completePayouts, makeTrader, subscribe, type Trader } from '../factories.ts'
import { type SignedIn, signIn, tokenOf } from '../sign-in/sign-in.ts'
import { ask, openYesterday, takeKeyOf, type World } from './two-people-ask.ts'
import { makeThings } from './two-people-things.ts'

/** Somebody with a thing of every kind that this product keeps for a person. */
export type Person = Trader &
  Awaited<ReturnType<typeof makeThings>> & {
    opened: string
    followed: Trader
    unpaid: Trader
    renews: boolean
  }

let people = 0

/** Traders and followers to whom both people relate, and who do nothing else. */
export type Others = { trader: Trader; unpaid: Trader; follower: SignedIn }

export async function makeOthers({ testApp }: World): Promise<Others> {
  const [trader, unpaid] = [await makeTrader(testApp), await makeTrader(testApp)]
  for (const one of [trader, unpaid]) await completePayouts(testApp, one)
  return { trader, unpaid, follower: await signIn(testApp) }
}

/**
 * Two people who have the same things and nothing to do with each other; both follow one trader and have one follower in common.
 * @param join makes somebody a payer, a follower and a trader who is followed; without Stripe unless given
 */
export async function makeTwo(
  world: World,
  others: Others,
  join: (trader: Trader) => Promise<unknown> = (trader) => joinByHand(world, others, trader),
): Promise<[Person, Person]> {
  const [one, other] = [await publish(world), await publish(world)]
  for (const { trader } of [one, other]) await join(trader)
  people += 1
  await openYesterday(world, others.trader, `${letters(people)}SHARED`)
  const ties = { followed: others.trader, unpaid: others.unpaid }
  return [
    {
      ...one.trader,
      ...(await makeThings(world, one.trader, others.trader)),
      opened: one.opened,
      ...ties,
      renews: false,
    },
    {
      ...other.trader,
      ...(await makeThings(world, other.trader, others.trader)),
      opened: other.opened,
      ...ties,
      renews: true,
    },
  ]
}

async function joinByHand(
  { testApp }: World,
  { follower, trader, unpaid }: Others,
  who: Trader,
): Promise<void> {
  await completePayouts(testApp, who)
  for (const followed of [trader, unpaid]) await subscribe(testApp, who, followed)
  await subscribe(testApp, follower, who)
}

/** A trader with a position that is open and one that is closed. @returns its ticker too */
async function publish(world: World): Promise<{ trader: Trader; opened: string }> {
  people += 1
  const name = letters(people)
  const trader = await makeTrader(world.testApp, `Person-${name}`)
  await openYesterday(world, trader, `${name}CLOSED`)
  const key = await takeKeyOf(world, trader, `${name}CLOSED`)
  const close = { symbol: `${name}CLOSED`, key, closeNotes: `The close of ${name} has its reason.` }
  const token = await tokenOf(world.testApp, trader)
  const closed = await ask(world, { method: 'POST', url: '/v1/positions/close', token, body: close })
  expect(closed).toMatchObject({ status: 200 })
  await openYesterday(world, trader, `${name}OPEN`)
  return { trader, opened: `${name}OPEN` }
}

/** Two letters that a ticker and a name take; none looks like another. */
function letters(nth: number): string {
  const alphabet = 'ABCDEFGHKPSTXYZ'
  return `${alphabet.charAt(Math.floor(nth / alphabet.length))}${alphabet.charAt(nth % alphabet.length)}`
}
