import type { PriceRights } from '@tradepost/contract/price-rights'
import { webPaths } from '@tradepost/contract/web-paths'
import { afterEach, expect, test } from 'vitest'
import { makeSecretKey } from '../../src/auth/keys/secret-key.ts'
import { readPerson } from '../../src/exports/links/take-export.ts'
import { followingTasks } from '../../src/following/following.task.ts'
import { readFile } from '../exports.ts'
import { subscribe } from '../factories.ts'
import { act, closeIn, makeTwoWorlds, openIn, turnRoundAt, type World } from '../people/two-worlds.ts'
import { type Known, type Look, lookAround, withoutRandom } from '../people/two-worlds-looks.ts'
import { mailsToStranger } from '../people/two-worlds-mails.ts'
import { runJobs } from '../run-jobs.ts'

const open = new Set<World>()
afterEach(async () => {
  for (const world of open) await world.close()
  open.clear()
})

/**
 * Two worlds in which nothing differs but the prices of the market; what the stranger and the trader whom they follow hold since the first
 * day is past its plan, and somebody else holds one since yesterday.
 */
async function makeWorldsApart(priceRights: PriceRights) {
  const { clock, worlds } = await makeTwoWorlds({ priceRights })
  for (const world of worlds) open.add(world)
  const known: [Known, Known] = [new Map(), new Map()]
  clock.set(new Date('2026-03-26T15:00:00.000Z'))
  const trade = async (prices: readonly [number, number]) => {
    await turnRoundAt(clock, [
      [worlds[0], prices[0]],
      [worlds[1], prices[1]],
    ])
  }
  await trade([120, 120])
  for (const world of worlds) await openIn(world, world.actor, 'FREA')
  clock.set(new Date('2026-03-27T15:00:00.000Z'))
  await trade([120, 120])
  await trade([120, 120])
  clock.advance(16 * 60_000)
  await trade([120, 120])
  const pass = (minutes: number) => clock.advance(minutes * 60_000)
  /** The calls whose answers differ, each once, by the first word of what is asked. */
  const differing = async (): Promise<string[]> => {
    const [ones, others] = [await lookAt(worlds[0], known[0]), await lookAt(worlds[1], known[1])]
    const differ = ones.filter(({ call, places }, nth) => {
      const other = others[nth]
      return call !== other?.call || written(places) !== written(other.places)
    })
    return differ.map(({ call }) => call.trim())
  }
  const inBoth = async (does: (world: World) => Promise<unknown>) => {
    for (const world of worlds) await does(world)
  }
  return { worlds, trade, pass, differing, inBoth }
}

/** Ids of positions are keys too. */
const written = (places: Look['places']) => withoutRandom(JSON.stringify([...places].toSorted()), new Map())

/** Answers to all that a stranger can ask, but for the checks of somebody who is about to publish; with pictures and the file of their own data. */
async function lookAt(world: World, known: Known): Promise<Look[]> {
  const looks = await lookAround(world, known)
  const shown = looks.filter(({ call }) => !call.startsWith('preview '))
  const marked = world.received.filter((text) => text.startsWith('{"symbol"')).toSorted()
  const pictures: Look[] = []
  for (const name of ['stella', 'tobias', 'anton']) {
    const { rawPayload } = await world.pages.getPicture(webPaths.publicPicture(name))
    pictures.push({
      call: `picture ${name}`,
      places: new Map([['bytes', Buffer.from(rawPayload).toString('base64')]]),
    })
  }
  return [
    ...shown,
    ...pictures,
    { call: 'file', places: new Map([['following_prices', await notedInFile(world)]]) },
    { call: 'feed', places: new Map([['marks', JSON.stringify(marked)]]) },
  ]
}

/** The prices in the file of the stranger's data; the file is given too rarely to be asked for. */
async function notedInFile({ stranger, testApp }: World): Promise<string> {
  const { clock, db, settings } = testApp
  const deps = {
    db,
    secret: makeSecretKey(settings.authSecret),
    witnessing: settings.record,
    rights: settings.priceRights,
  }
  const parts: Uint8Array[] = []
  for await (const part of await readPerson(deps, stranger.userId, clock.now())) parts.push(part)
  const noted = readFile(Buffer.concat(parts)).of('following_prices')
  return JSON.stringify(noted.map(({ price, priced_at }) => [price, priced_at]))
}

/** All mails to the stranger; they leave at a moment of the machine's clock. */
const mailsOf = async (world: World) =>
  (await mailsToStranger(world)).map((mail) => mail.replaceAll(/^Date: .*$/gm, ''))

/** Somebody begins to follow at prices that differ, and what was held is closed at one that does not. */
async function followAndClose(
  { inBoth, trade }: Pick<Awaited<ReturnType<typeof makeWorldsApart>>, 'inBoth' | 'trade'>,
  price: number,
): Promise<void> {
  await inBoth(async (world) => {
    await subscribe(world.testApp, world.stranger, world.actor)
    await runJobs(world.testApp, followingTasks(world.testApp))
  })
  await trade([price, price])
  await inBoth((world) => closeIn(world, world.actor, 'FREA'))
}

const OF_NOW = ['profile ?username=stella', 'profile ?username=tobias', 'marks']
const PAGES_OF_NOW = ['page stella', 'page tobias']

test('with live prices a look at two worlds finds each place that shows a price of now', async () => {
  const { differing, inBoth, pass, trade, worlds } = await makeWorldsApart('live')
  pass(1)
  // Messages of a feed are gathered by the machine's clock.
  const answers = async () => (await differing()).filter((call) => call !== 'feed')
  expect(await answers()).toEqual([])
  await trade([120, 150])
  pass(1)
  expect(await answers()).toEqual([...OF_NOW, ...PAGES_OF_NOW])
  await expect.poll(() => worlds[1].received.some((text) => text.includes('"price":"150"'))).toBe(true)
  await followAndClose({ inBoth, trade }, 121)
  expect(await answers()).toEqual(expect.arrayContaining(['followingResults', 'file']))
})

test('with late prices the last 15 minutes of the market change no answer, page, picture, file, feed or mail', async () => {
  const { differing, inBoth, pass, trade, worlds } = await makeWorldsApart('delayed')
  pass(1)
  expect(await differing(), 'before they part').toEqual([])
  await trade([120, 150])
  expect(await differing(), 'at once').toEqual([])
  await followAndClose({ inBoth, trade }, 121)
  expect(await differing(), 'after a close').toEqual([])
  pass(5)
  await trade([121, 133])
  expect(await differing(), 'five minutes later').toEqual([])
  pass(5)
  expect(await differing(), 'ten minutes later').toEqual([])
  const [ones, others] = [await mailsOf(worlds[0]), await mailsOf(worlds[1])]
  expect(others).toEqual(ones)
  expect(ones.join('\n')).toContain('@anton closed FREA')
  pass(4)
  expect(await differing(), '15 minutes after following began').toEqual(['followingResults', 'file'])
  pass(6)
  const all = ['followingResults', ...OF_NOW, ...PAGES_OF_NOW, 'file']
  expect(await differing(), '15 minutes after the last price').toEqual(all)
})

test('a late price is the one of 15 minutes ago, and a position that is younger has none', async () => {
  const { inBoth, pass, trade, worlds } = await makeWorldsApart('delayed')
  const [{ stranger }] = worlds
  const priceOf = async (symbol: string) => {
    const { marks } = await act(worlds[0], stranger, 'GET', '/v1/marks')
    return (marks as { symbol: string }[]).find((mark) => mark.symbol === symbol)
  }
  await trade([130, 130])
  await inBoth((world) => openIn(world, world.stranger, 'FREB'))
  pass(1)
  expect(await priceOf('OWNA')).toMatchObject({ price: '120', rights: 'delayed' })
  expect(await priceOf('FREB')).toEqual({
    symbol: 'FREB',
    price: null,
    at: null,
    state: 'waiting',
    rights: 'delayed',
  })
  await trade([140, 140])
  pass(11)
  expect(await priceOf('OWNA')).toMatchObject({ price: '120', state: 'aged' })
  pass(3)
  expect(await priceOf('OWNA')).toMatchObject({ price: '130', at: '2026-03-27T15:20:00.000Z' })
  // The opening is a price of its moment, and recorded.
  expect(await priceOf('FREB')).toMatchObject({ price: '130' })
  pass(60)
  expect(await priceOf('OWNA')).toMatchObject({ price: '140', state: 'aged' })
})

test('where gains alone are shown no answer has a price of now, and prices of one whole percent are one', async () => {
  const { differing, inBoth, pass, trade, worlds } = await makeWorldsApart('percent')
  await trade([137.31, 137.38])
  pass(1)
  expect(await differing()).toEqual([])
  const [world] = worlds
  const looks = await lookAt(world, new Map())
  expect(looks.filter(({ places }) => /1?37\.3/.test(written(places))).map(({ call }) => call)).toEqual([])
  const { marks } = await act(world, world.stranger, 'GET', '/v1/marks')
  const { positions } = await act(world, world.stranger, 'GET', '/v1/positions')
  const own = (positions as { id: string; stock: string }[]).find(({ stock }) => stock === 'OWNA')
  expect(marks).toContainEqual(
    expect.objectContaining({
      symbol: 'OWNA',
      price: null,
      rights: 'percent',
      gains: { [own?.id ?? '']: 37 },
    }),
  )
  await followAndClose({ inBoth, trade }, 121)
  expect(await differing(), 'after a close').toEqual([])
})
