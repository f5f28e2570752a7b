import type { RecordState } from './record-keys.ts'

/** The state of the record in words, as `24,640 entries, signed 12 s ago, 2 witnesses`. A signature of the future is as old as nothing. */
export function sayRecordState({ signedAt, size, witnesses }: RecordState, now: Date): string {
  const entries = size === 1 ? '1 entry' : `${size.toLocaleString('en-US')} entries`
  const by = ['no witness', '1 witness'][witnesses] ?? `${witnesses} witnesses`
  const seconds = Math.max(0, Math.floor(now.getTime() / 1000) - signedAt)
  return `${entries}, signed ${sayAge(seconds)} ago, ${by}`
}

function sayAge(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}
