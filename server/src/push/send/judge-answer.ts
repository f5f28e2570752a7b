import type { PushAnswer } from './post-message.ts'

/** The meaning of an answer for the message and for its device. @property fault in words without addresses */
export type Verdict =
  | { kind: 'taken' }
  /** The device is gone: its user removed the permission, or the push service forgot it. */
  | { kind: 'gone' }
  /** Another try may succeed; `device` is null when the answer does not concern the device. */
  | { kind: 'later'; waitMs: number; fault: string; device: 'missed' | null }
  /** The same message would be refused again. */
  | { kind: 'refused'; fault: string }

/** Judges the answer of a push service (RFC 8030 sections 5 and 7.3). */
export function judgeAnswer(answer: PushAnswer): Verdict {
  if (answer.status === null) return { kind: 'later', waitMs: 0, fault: answer.fault, device: 'missed' }
  const { status, waitMs } = answer
  const fault = `answered ${status}`
  if (status >= 200 && status < 300) return { kind: 'taken' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status === 408 || status === 429 || status >= 500)
    return { kind: 'later', waitMs, fault, device: 'missed' }
  return { kind: 'refused', fault }
}
