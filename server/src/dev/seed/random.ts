/** A repeatable stream of chance: the same number gives the same world on any machine. */
export type Random = {
  /** Uniform in [0, 1). */
  next(): number
  /** Uniform whole number in [from, to]. */
  between(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  /** Roughly normal, mean 0, deviation 1. */
  normal(): number
}

/** @param seed any whole number (mulberry32, a 32-bit generator: good for worlds, not for secrets) */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick(list) {
      const item = list[Math.floor(next() * list.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    normal: () => Array.from({ length: 6 }, next).reduce((sum, value) => sum + value, -3) * Math.SQRT2,
  }
}
