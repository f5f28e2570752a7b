import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Verdict } from './judge.ts'
import type { Mutant } from './mutants.ts'
import { CACHE } from './tree.ts'

/** A line of `.cache/mutations-<seed>.jsonl`; the last one of a mutant counts. */
export type Result = Verdict & { index: number; id: string; before: string }

function fileOf(seed: number): string {
  return join(CACHE, `mutations-${seed}.jsonl`)
}

/**
 * Looks up what became of a mutant. A verdict on another text that stood at the same place before does not count.
 */
export function readResults(seed: number): (mutant: Mutant) => Result | undefined {
  const file = fileOf(seed)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const results = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result)
  const known = new Map(results.map((result) => [keyOf(result), result]))
  return (mutant) => known.get(keyOf(mutant))
}

function keyOf({ id, before }: { id: string; before: string }): string {
  return `${id}\n${before}`
}

export function addResult(seed: number, index: number, mutant: Mutant, verdict: Verdict): void {
  mkdirSync(CACHE, { recursive: true })
  const result: Result = { index, id: mutant.id, before: mutant.before, ...verdict }
  appendFileSync(fileOf(seed), `${JSON.stringify(result)}\n`)
}

/** The results so far, as Markdown: the counts, then each mutant that lives. */
export function reportOf(seed: number, drawn: readonly Mutant[]): string {
  const find = readResults(seed)
  const judged = drawn.flatMap((mutant) => find(mutant) ?? [])
  const count = (fate: Verdict['fate']) => judged.filter((result) => result.fate === fate).length
  const dead = count('killed') + count('timed out')
  const percent = judged.length === 0 ? 0 : (dead / judged.length) * 100
  const living = judged.filter(({ fate }) => fate === 'survived' || fate === 'not reached')
  const open = living.filter(({ asked, reached }) => asked < reached).length
  return [
    `Seed ${seed}: ${judged.length} of ${drawn.length} judged, ${count('killed')} killed, ${count('timed out')} timed out,`,
    `${count('survived')} survived, ${count('not reached')} reached by no test: ${percent.toFixed(1)} % do not live.`,
    `Of ${open} that live not every test file that reaches them was asked; --all asks the others.`,
    '',
    '| number | mutant | was | test files asked, of those that reach it |',
    '|---|---|---|---|',
    ...living.map(
      ({ index, id, before, asked, reached }) =>
        `| ${index} | ${cell(id)} | ${cell(before)} | ${asked} of ${reached} |`,
    ),
  ].join('\n')
}

function cell(text: string): string {
  const short = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
  return `\`${short.length > 160 ? `${short.slice(0, 160)} …` : short}\``
}
