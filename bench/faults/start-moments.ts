import { setTimeout as pause } from 'node:timers/promises'
import type { Part, ProductStart } from './product-start.ts'

/** A moment of a start: a part that appears, or words of the log; and how much later. */
export type Moment = ({ part: Part } | { words: RegExp }) & { afterMs?: number }

export const STARTING = /starting PostgreSQL/
export const READY = /ready to accept connections/
export const MIGRATING = /applied 0020/
export const MIGRATED = /applied 0075/
/** Payments have been set up, and the worker begins. */
export const WORKING = /a worker takes work/

export function nameOf(at: Moment): string {
  const begin = 'part' in at ? `the beginning of ${at.part}` : `"${at.words.source}"`
  return at.afterMs ? `${begin} and ${at.afterMs} ms` : begin
}

export async function until(start: ProductStart, at: Moment): Promise<void> {
  await start.until(async () =>
    'part' in at ? (await start.find(at.part)).length > 0 : at.words.test(start.output()),
  )
  await pause(at.afterMs ?? 0)
}

export function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
  }
}
