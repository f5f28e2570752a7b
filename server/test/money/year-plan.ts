import assert from 'node:assert/strict'
import type { Random } from '../../src/dev/seed/random.ts'
import { shuffle } from './event-reporter.ts'
import { FACTORS, IMPOSSIBLE, NAMES, pairsOf, possiblePairs, type Values } from './year-factors.ts'
import { type Schedule, scheduleOf } from './year-schedule.ts'

export type Plan = { values: Values; schedule: Schedule }

/** Candidates for each row, of which the one with most new pairs is taken. */
const CANDIDATES = 12
const TRIES = 400

/**
 * Draws so many subscriptions: first those by which every possible pair of values occurs, about 75, then any.
 * @throws for a pair that cannot be drawn, although it is not in the list of the impossible ones
 */
export function drawPlans(random: Random, count: number): Plan[] {
  const open = new Set(possiblePairs())
  const plans: Plan[] = []
  const take = (plan: Plan) => {
    for (const pair of pairsOf(plan.values)) open.delete(pair)
    plans.push(plan)
  }
  for (const pair of shuffle(random, [...open])) {
    if (!open.has(pair)) continue
    if (plans.length === count) break
    const candidates = Array.from({ length: CANDIDATES }, () => drawRow(random, partsOf(pair)))
    const news = (plan: Plan) => pairsOf(plan.values).filter((one) => open.has(one)).length
    const best = candidates.filter((plan) => plan !== null).sort((one, other) => news(other) - news(one))[0]
    take(best ?? assert.fail(`cannot be drawn, and is not in the list of impossible pairs: ${pair}`))
  }
  while (plans.length < count) take(drawRow(random, {}) ?? assert.fail())
  return shuffle(random, plans)
}

function partsOf(pair: string): Partial<Values> {
  return Object.fromEntries(pair.split(' + ').map((part) => part.split(': '))) as Partial<Values>
}

/** @returns null where these values never fit into one year */
function drawRow(random: Random, given: Partial<Values>): Plan | null {
  for (let nth = 0; nth < TRIES; nth += 1) {
    const drawn = Object.fromEntries(
      NAMES.map((name) => [name, random.pick<string>(FACTORS[name])]),
    ) as Values
    const values = { ...drawn, ...given }
    if (
      IMPOSSIBLE.some(([pair]) =>
        NAMES.every((name) => pair[name] === undefined || pair[name] === values[name]),
      )
    )
      continue
    const schedule = scheduleOf(random, values)
    if (schedule) return { values, schedule }
  }
  return null
}
