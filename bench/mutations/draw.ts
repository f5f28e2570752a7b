import { makeRandom } from '../../server/src/dev/seed/random.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { mutatedFiles, readSource } from './tree.ts'

type Drawable = { lines: number; mutants: Mutant[] }

/**
 * A sample of all mutants: a file by the weight of its lines, then any mutant of it that has not been drawn. In the order of the
 * draw, so that its beginning is a sample too.
 * @param seed any whole number; the same one draws the same mutants of the same sources
 */
export function drawMutants(seed: number, count: number): Mutant[] {
  const random = makeRandom(seed)
  const files: Drawable[] = mutatedFiles().map((file) => {
    const text = readSource(file)
    return { lines: text.split('\n').length, mutants: mutantsOf(file, text) }
  })
  const drawn: Mutant[] = []
  while (drawn.length < count) {
    const left = files.filter(({ mutants }) => mutants.length > 0)
    if (left.length === 0) break
    const { mutants } = pickByLines(left, random.next())
    drawn.push(...mutants.splice(Math.floor(random.next() * mutants.length), 1))
  }
  return drawn
}

/** @param at in [0, 1) */
function pickByLines(files: readonly Drawable[], at: number): Drawable {
  let line = at * files.reduce((sum, { lines }) => sum + lines, 0)
  for (const file of files) {
    line -= file.lines
    if (line < 0) return file
  }
  throw new Error('nothing to draw from')
}
