import { useSyncExternalStore } from 'react'
import { keepDraft, onDraftsChanged, readDraft } from './drafts.ts'

/** Deletes a draft that has been sent. @param isSent false for what was typed since */
export function forgetDraft<Draft>(name: string, isSent: (draft: Draft) => boolean): void {
  const draft = readDraft(name)
  if (draft !== undefined && isSent(draft as Draft)) keepDraft(name, undefined)
}

/**
 * A state that waits under its name for the next look.
 * @param empty the state without a draft, always the same object; its keys are the parts that a draft has
 */
export function useDraft<Draft extends string | Readonly<Record<string, string | boolean>>>(
  name: string,
  empty: Draft,
): [draft: Draft, change: (next: Draft) => void] {
  const stored = useSyncExternalStore(onDraftsChanged, () => readDraft(name))
  const draft = isLike(stored, empty) ? stored : empty
  function change(next: Draft): void {
    const isEmpty = JSON.stringify(next) === JSON.stringify(empty)
    keepDraft(name, isEmpty ? undefined : next)
  }
  return [draft, change]
}

/** Whether a draft, perhaps of an older version of the page, has the parts of this one. */
function isLike<Draft>(stored: unknown, empty: Draft): stored is Draft {
  if (typeof empty !== 'object' || empty === null) return typeof stored === typeof empty
  const parts = (stored ?? {}) as Record<string, unknown>
  return Object.entries(empty).every(([name, part]) => typeof parts[name] === typeof part)
}
