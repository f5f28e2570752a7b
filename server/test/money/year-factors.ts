import assert from 'node:assert/strict'

/** Everything that can be said of a subscription in a year; each has one value of every row. */
export const FACTORS = {
  interval: ['month', 'year'],
  trial: ['none', '7 days', '14 days', 'refused', 'ended in it', 'first payment fails'],
  code: [
    'none',
    'percent, first month',
    'percent, three months',
    'percent, always',
    'amount, first month',
    'amount, three months',
    'amount, always',
  ],
  price: ['kept', 'rise agreed', 'rise not answered', 'rise taken back', 'lowered'],
  end: ['none', 'with its period', 'taken back'],
  payment: [
    'as asked',
    'refunded in part',
    'refunded whole',
    'dispute won',
    'dispute lost',
    'paid twice',
    'renewal recovers',
    'renewal fails',
  ],
  people: [
    'as before',
    'payouts lost for ten days',
    'payouts lost for thirty days',
    'trader suspended for ten days',
    'trader closes the account',
    'follower closes the account',
  ],
} as const
type Factors = typeof FACTORS
export type Factor = keyof Factors
export type Values = { [Name in Factor]: Factors[Name][number] }

export const NAMES = Object.keys(FACTORS) as Factor[]

/** Pairs of values that cannot both happen to one subscription. */
export const IMPOSSIBLE: [pair: Partial<Values>, why: string][] = [
  ...FACTORS.code
    .filter((code) => code !== 'none')
    .map((code): [Partial<Values>, string] => [{ interval: 'year', code }, 'a code is for a month’s price']),
  [{ trial: 'ended in it', end: 'with its period' }, 'that is the end with the trial'],
  [{ trial: 'ended in it', end: 'taken back' }, 'an end that is taken back ends no trial'],
  [{ trial: 'first payment fails', end: 'with its period' }, 'at a planned end nothing is asked for'],
  ...(['ended in it', 'first payment fails'] as const).flatMap((trial) =>
    (
      [
        'refunded in part',
        'refunded whole',
        'dispute won',
        'dispute lost',
        'renewal recovers',
        'renewal fails',
      ] as const
    ).map((payment): [Partial<Values>, string] => [{ trial, payment }, 'nothing was ever paid']),
  ),
  ...(['ended in it', 'first payment fails'] as const).map((trial): [Partial<Values>, string] => [
    { trial, people: 'payouts lost for thirty days' },
    'it is over within seventeen days',
  ]),
  [
    { payment: 'renewal fails', people: 'payouts lost for thirty days' },
    'it is over fifteen days after the renewal, and nothing is asked for without payouts',
  ],
]

/** Pairs of values, each once, as `trial: 7 days + code: none`. */
export function pairsOf(values: Values): string[] {
  return NAMES.flatMap((one, at) =>
    NAMES.slice(at + 1).map((other) => pairName(one, values[one], other, values[other])),
  )
}

const pairName = (one: Factor, value: string, other: Factor, second: string) =>
  `${one}: ${value} + ${other}: ${second}`

/** All pairs that can happen. */
export function possiblePairs(): string[] {
  const impossible = new Set(
    IMPOSSIBLE.map(([pair]) => {
      const [one, other] = NAMES.filter((name) => pair[name] !== undefined)
      assert.ok(one && other)
      return pairName(one, pair[one] ?? '', other, pair[other] ?? '')
    }),
  )
  const all = NAMES.flatMap((one, at) =>
    NAMES.slice(at + 1).flatMap((other) =>
      FACTORS[one].flatMap((value) => FACTORS[other].map((second) => pairName(one, value, other, second))),
    ),
  )
  return all.filter((pair) => !impossible.has(pair))
}

/**
 * Counts how often each value occurred, alone and with each other value.
 * @returns a line for each value, and the possible pairs that never occurred
 */
export function countPairs(all: readonly Values[]): { lines: string[]; missing: string[]; fewest: number } {
  const counts = new Map(possiblePairs().map((pair) => [pair, 0]))
  for (const pair of all.flatMap(pairsOf)) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  const lines = NAMES.flatMap((name) =>
    FACTORS[name].map((value) => {
      const having = all.filter((values) => values[name] === value)
      const beside = NAMES.filter((other) => other !== name).map((other) => {
        const each = FACTORS[other].map(
          (second) => having.filter((values) => values[other] === second).length,
        )
        return `${other} ${each.join(' ')}`
      })
      return `${name}: ${value} ${having.length} (${beside.join('; ')})`
    }),
  )
  const missing = [...counts].filter(([, count]) => count === 0).map(([pair]) => pair)
  return { lines, missing, fewest: Math.min(...counts.values()) }
}
