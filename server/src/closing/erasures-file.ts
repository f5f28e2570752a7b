import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

const NAME = 'erasures'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Notes that a person is erased, outside the database: a restored backup knows the person again, and the next start erases them again (ADR
 * 0121). Safe to repeat. Returns once the disk has it.
 * @param folder of the newest checkpoint
 */
export function noteErasure(folder: string, userId: string): void {
  if (readErasures(folder).includes(userId)) return
  const path = join(folder, NAME)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'a', 0o600)
  try {
    writeSync(file, `${userId}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Ids of everybody who was ever erased on this host; a line that a crash cut off is left out. */
export function readErasures(folder: string): string[] {
  const path = join(folder, NAME)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return [...new Set(lines.filter((line) => UUID.test(line)))]
}
