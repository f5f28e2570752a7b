/**
 * `npm run bench -- mutations [seed] [from] [to]`: how many of 300 small changes of server and contract, drawn by seed, some test
 * notices. Goes on where it was interrupted; `from` and `to` choose a part of the draw.
 *   --report         prints what is known so far and judges nothing
 *   --again=12,40    judges these numbers of the draw again, after a test has been added
 *   --all            asks every test file that reaches a mutant: of those, too, that have survived the likeliest ones
 *   --draw           prints the draw
 */
import { parseArgs } from 'node:util'
import { recordCoverage } from './coverage.ts'
import { drawMutants } from './draw.ts'
import { openJudge } from './judge.ts'
import type { Mutant } from './mutants.ts'
import { addResult, readResults, reportOf } from './results.ts'

const DEFAULT_SEED = 1
const COUNT = 300

type Numbered = { index: number; mutant: Mutant }

export async function benchMutations(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      report: { type: 'boolean', default: false },
      draw: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      again: { type: 'string', default: '' },
    },
  })
  const [seed = DEFAULT_SEED, from = 0, to = COUNT] = positionals.map(Number)
  const drawn = drawMutants(seed, COUNT)
  if (values.draw) for (const [index, { id, before }] of drawn.entries()) console.log(index, id, '·', before)
  if (values.draw) return
  if (!values.report) {
    const again = values.again === '' ? [] : values.again.split(',').map(Number)
    const numbered = drawn.map((mutant, index) => ({ mutant, index }))
    const part =
      again.length > 0 ? numbered.filter(({ index }) => again.includes(index)) : numbered.slice(from, to)
    await judgeAll(seed, part, again.length > 0, values.all)
  }
  console.log(reportOf(seed, drawn))
}

/** @param again whether what has been judged is judged once more */
async function judgeAll(
  seed: number,
  part: readonly Numbered[],
  again: boolean,
  all: boolean,
): Promise<void> {
  const find = readResults(seed)
  const open = part.filter(({ mutant }) => {
    const known = find(mutant)
    return again || !known || (all && known.fate === 'survived' && known.asked < known.reached)
  })
  console.log(`seed ${seed}: ${open.length} of ${part.length} mutants to judge`)
  if (open.length === 0) return
  const judge = openJudge(await recordCoverage(open.map(({ mutant }) => mutant.file)))
  try {
    for (const { index, mutant } of open) {
      const verdict = await judge.judge(mutant, all)
      addResult(seed, index, mutant, verdict)
      console.log(`${index} ${verdict.fate} (${verdict.seconds} s) ${mutant.id}`)
    }
  } finally {
    await judge.close()
  }
}

if (import.meta.main) await benchMutations(process.argv.slice(2))
