import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { averageGain, countYear } from '../../test/prices/made-up-year.ts'
import { CHEATS, type Cheat, drawTwins } from '../../test/prices/price-cheats.ts'
import { insertTraders } from '../../test/prices/proven-scenario.ts'
import {
  drawMarket,
  drawPopulation,
  type MadeUpTrader,
  makeDraw,
} from '../../test/prices/trader-population.ts'
import { type DaySums, scoreTraders } from './score.ts'

/** Of each seed; forty of two seeds at full size, which prints its figures. */
const YEARS = Number(process.env.MADE_UP_YEARS ?? 2)
const SEEDS = (process.env.MADE_UP_SEEDS ?? '7').split(',').map(Number)
const OF_A_KIND = 5
const TEN = 10
const CHEATERS = ['hider', 'tiny winner', 'lottery', 'many accounts', 'leveraged']

type Person = MadeUpTrader & { average: number; low: number }
/** One year's people with their scores, and beside them each cheat's five, once with the cheat and once without. */
type Year = { people: Person[]; cheats: Record<Cheat, { cheat: Person[]; twin: Person[] }> }

let testApp: TestApp
let ids: string[] = []
beforeAll(async () => {
  testApp = await buildTestApp({ now: new Date('2025-01-01T00:00:00Z') })
  ids = await insertTraders(testApp, 500 + 2 * OF_A_KIND * CHEATS.length)
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** Has each of these groups scored as if there were no other one. */
function scoreGroup(group: readonly [string, MadeUpTrader][], sums: readonly DaySums[]): Person[] {
  const ofGroup = new Set(group.map(([id]) => id))
  const scores = scoreTraders(sums.filter(({ traderId }) => ofGroup.has(traderId)))
  const lows = new Map(scores.map(({ traderId, low }) => [traderId, low]))
  const none = Number.NEGATIVE_INFINITY
  return group.map(([id, trader]) => ({
    ...trader,
    low: lows.get(id) ?? none,
    average: averageGain(trader) ?? none,
  }))
}

async function makeYear(draw: ReturnType<typeof makeDraw>): Promise<Year> {
  const market = drawMarket(draw)
  const people = drawPopulation(draw, market)
  const pairs = CHEATS.flatMap((kind) =>
    Array.from({ length: OF_A_KIND }, () => drawTwins(draw, market, kind)),
  )
  const all = [...people, ...pairs.map(({ cheat }) => cheat), ...pairs.map(({ twin }) => twin)].map(
    (trader, nth) => [ids[nth] ?? '', trader] as const,
  )
  const sums = await countYear(testApp, market, new Map(all))
  const entries = all.map(([id, trader]): [string, MadeUpTrader] => [id, trader])
  const crowd = entries.slice(0, people.length)
  const besideCrowd = (from: number) => scoreGroup([...crowd, ...entries.slice(from, from + OF_A_KIND)], sums)
  const cheats = CHEATS.map((kind, nth) => {
    const from = people.length + nth * OF_A_KIND
    return [kind, { cheat: besideCrowd(from), twin: besideCrowd(from + pairs.length) }] as const
  })
  return { people: scoreGroup(crowd, sums), cheats: Object.fromEntries(cheats) as Year['cheats'] }
}

async function makeYears(seed: number): Promise<Year[]> {
  const draw = makeDraw(seed)
  const years: Year[] = []
  while (years.length < YEARS) years.push(await makeYear(draw))
  return years
}

type List = 'low' | 'average'

function best(people: readonly Person[], list: List, count: number): Person[] {
  return people.toSorted((one, other) => other[list] - one[list]).slice(0, count)
}

type Judged = { noSkill: number; cheaters: number; cheatersInTopTenth: number; nextSkill: number }

/** Shares of the ten best, and of all cheaters in the best tenth. */
function judge(years: readonly Year[], list: List): Judged {
  const isCheater = ({ kind }: Person) => CHEATERS.includes(kind)
  const topTens = years.flatMap(({ people }) => best(people, list, TEN))
  const topTenths = years.flatMap(({ people }) => best(people, list, people.length / 10))
  const share = (part: number, whole: number) => Math.round((1000 * part) / whole) / 1000
  return {
    noSkill: share(topTens.filter(({ skill }) => skill <= 0).length, topTens.length),
    cheaters: share(topTens.filter(isCheater).length, topTens.length),
    cheatersInTopTenth: share(
      topTenths.filter(isCheater).length,
      years.flatMap(({ people }) => people).filter(isCheater).length,
    ),
    nextSkill: topTens.reduce((sum, { nextSkill }) => sum + nextSkill, 0) / topTens.length,
  }
}

/** How many of `places` each has among the ten best, with the cheat and without it. */
type Places = { places: number; cheat: number; twin: number }

function countPlaces(years: readonly Year[], kind: Cheat, list: List): Places {
  const count = (who: 'cheat' | 'twin') =>
    years.flatMap(({ cheats }) => best(cheats[kind][who], list, TEN)).filter((person) => person.kind === kind)
      .length
  return { places: years.length * OF_A_KIND, cheat: count('cheat'), twin: count('twin') }
}

/** Two standard errors of the difference of two counts, of the part that both have in common. */
function twoErrors({ cheat, places, twin }: Places): number {
  const share = (cheat + twin) / (2 * places)
  return 2 * Math.sqrt(2 * places * share * (1 - share))
}

test.for(SEEDS)(
  'in made-up years of seed %i, counted by the night, skill leads the list, and what cheats make of prices, closes and plans brings them nothing',
  { timeout: YEARS * 300_000 },
  async (seed) => {
    const years = await makeYears(seed)
    const [score, average] = [judge(years, 'low'), judge(years, 'average')]
    const cheats = CHEATS.map((kind) => ({
      kind,
      score: countPlaces(years, kind, 'low'),
      average: countPlaces(years, kind, 'average'),
    }))
    if (process.env.MADE_UP_YEARS)
      process.stdout.write(`${JSON.stringify({ seed, years: YEARS, score, average, cheats })}\n`)
    expect(score.noSkill).toBeLessThanOrEqual(0.25)
    expect(score.cheaters).toBeLessThanOrEqual(0.1)
    expect(score.cheatersInTopTenth).toBeLessThanOrEqual(0.05)
    expect(average.noSkill).toBeGreaterThan(0.5)
    expect(average.cheaters).toBeGreaterThan(0.25)
    expect(score.nextSkill).toBeGreaterThan(average.nextSkill + 0.3)
    for (const { kind, score: places } of cheats)
      expect(places.cheat, kind).toBeLessThanOrEqual(places.twin + twoErrors(places))
  },
)
