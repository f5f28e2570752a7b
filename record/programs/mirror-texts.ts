import { createReadStream, mkdirSync } from 'node:fs'
import { appendFile, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { toBase64 } from '../src/bytes.ts'
import type { Finding } from '../src/findings.ts'
import type { Histories, RecordHistory } from '../src/histories.ts'
import { judgeText, type Revealed, revealedOf } from '../src/judge-texts.ts'
import type { RecordSource } from '../src/record-source.ts'
import { readKept } from './kept-file.ts'
import { sha256 } from './node-crypto.ts'
import { sideBySide } from './side-by-side.ts'

const AT_ONCE = 16
const LINES_AT_ONCE = 256

/** The texts that a mirror keeps: a file with a line of JSON for each, `{ index, salt, text }`. */
export type Texts = {
  /** Asks for those that have become public, and drops those of people whose record was erased since. */
  take(source: RecordSource, histories: Histories, now: number): Promise<Finding[]>
  size(): number
}

export async function openTexts(file: string): Promise<Texts> {
  mkdirSync(dirname(file), { recursive: true })
  const held = new Set<number>()
  for await (const line of linesOf(file)) {
    const index = indexOf(line)
    if (index !== null) held.add(index)
  }

  async function take(source: RecordSource, histories: Histories, now: number) {
    const all = [...histories.records.values()]
    await drop(all.filter(({ isErased }) => isErased))
    const found: Finding[] = []
    let lines: string[] = []
    const ask = ({ leaf }: Revealed) => source.opening(leaf.index)
    for await (const { item, answer } of sideBySide(missing(histories, now), AT_ONCE, ask)) {
      const judged = judgeText(sha256, item, answer)
      found.push(...judged)
      if (judged.length > 0 || typeof answer !== 'object') continue
      held.add(item.leaf.index)
      const { salt, text } = answer
      lines.push(`${JSON.stringify({ index: item.leaf.index, salt: toBase64(salt), text })}\n`)
      if (lines.length < LINES_AT_ONCE) continue
      await appendFile(file, lines.join(''))
      lines = []
    }
    await appendFile(file, lines.join(''))
    return found
  }

  function* missing(histories: Histories, now: number): Generator<Revealed> {
    for (const record of histories.records.values())
      for (const revealed of revealedOf(histories, record, now))
        if (!held.has(revealed.leaf.index)) yield revealed
  }

  /** Writes the file again without the texts of some records. */
  async function drop(records: readonly RecordHistory[]): Promise<void> {
    const dropped = new Set(records.flatMap(({ leaves }) => leaves.filter((index) => held.has(index))))
    if (dropped.size === 0) return
    const fresh = await open(`${file}.new`, 'w')
    for await (const line of linesOf(file)) {
      const index = indexOf(line)
      if (index !== null && !dropped.has(index)) await fresh.write(`${line}\n`)
    }
    await fresh.sync()
    await fresh.close()
    await rename(`${file}.new`, file)
    for (const index of dropped) held.delete(index)
  }

  return { take, size: () => held.size }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  if (readKept(file) === null) return
  yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
}

/** @returns null for a line that a crash has cut short */
function indexOf(line: string): number | null {
  try {
    return Number(JSON.parse(line).index)
  } catch {
    return null
  }
}
