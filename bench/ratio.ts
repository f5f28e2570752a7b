/** One of the programs that a benchmark compares. `run` does the whole work once and returns its rate per second. */
export type Contender = { name: string; run(): Promise<number> }

/**
 * Measures contenders in turn, A-B-C A-B-C, so that other load on the machine disturbs all of them alike. Prints the rate of
 * each and how many times that rate ours is, both as the median of the rounds with the lowest and the highest.
 * @param unit of a rate, as `answers/s`
 */
export async function compare(
  title: string,
  unit: string,
  ours: Contender,
  others: Contender[],
  rounds: number,
): Promise<void> {
  const all = [ours, ...others]
  const rates = new Map<Contender, number[]>(all.map((contender) => [contender, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of all) rates.get(contender)?.push(await contender.run())
  }
  console.log(`\n${title}, ${rounds} rounds in turn`)
  const own = rates.get(ours) ?? []
  for (const contender of all) {
    const measured = rates.get(contender) ?? []
    const ratios = own.map((rate, round) => rate / (measured[round] ?? Number.NaN))
    const share = contender === ours ? '' : `   ours is ${medianAndRange(ratios, 2)} times this`
    console.log(`  ${contender.name}: ${medianAndRange(measured, 0)} ${unit}${share}`)
  }
}

function medianAndRange(values: number[], digits: number): string {
  const [middle, lowest, highest] = [median(values), Math.min(...values), Math.max(...values)]
  return `${middle.toFixed(digits)} (${lowest.toFixed(digits)} to ${highest.toFixed(digits)})`
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
