import { DRAFTS_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { makeListeners } from './listeners.ts'

/*
 * Words that a person has typed and not sent. They wait in this tab, for this person, through looks elsewhere and a reload,
 * until they are sent or emptied (use-draft.ts). Nothing secret is among them: no code, no key of a price.
 */

type Kept = { person: string; drafts: Readonly<Record<string, unknown>> }

const LEFT = 'left'
const NOBODY: Kept = { person: '', drafts: {} }

let kept = NOBODY
const listeners = makeListeners()

/** To be called when it is known who looks at the page: what another person has typed here is deleted. */
export function claimDrafts(person: string): void {
  addEventListener('storage', onOtherTabLeaving)
  if (kept.person === person) return
  const stored = attempt(
    () => JSON.parse(sessionStorage.getItem(DRAFTS_STORAGE_KEY) ?? 'null') as Kept | null,
  )
  keep({ person, drafts: (stored?.person === person && stored.drafts) || {} })
}

/**
 * Deletes everything, in every tab of this browser: the person signs out themselves. A session that ends by itself leaves it, since
 * the same person may sign in again.
 */
export function discardDrafts(): void {
  keep(NOBODY)
  // Nothing of it stays: other tabs receive the event of its removal.
  attempt(() => {
    localStorage.setItem(DRAFTS_STORAGE_KEY, LEFT)
    localStorage.removeItem(DRAFTS_STORAGE_KEY)
  })
}

function onOtherTabLeaving({ key, newValue }: StorageEvent): void {
  if (key === DRAFTS_STORAGE_KEY && newValue === LEFT) keep(NOBODY)
}

/** The value stored under a name, which may be no valid draft: the caller checks it. */
export function readDraft(name: string): unknown {
  return kept.drafts[name]
}

/** @param draft undefined to keep none */
export function keepDraft(name: string, draft: unknown): void {
  const { [name]: _, ...others } = kept.drafts
  keep({ ...kept, drafts: draft === undefined ? others : { ...others, [name]: draft } })
}

/** @returns ends it */
export function onDraftsChanged(listener: () => void): () => void {
  const end = listeners.add(listener)
  return () => {
    end()
    // Nothing is kept for a person who is not known.
    if (kept.person === '' && listeners.isEmpty()) kept = NOBODY
  }
}

function keep(next: Kept): void {
  kept = next
  const isEmpty = Object.keys(kept.drafts).length === 0
  attempt(() =>
    isEmpty || kept.person === ''
      ? sessionStorage.removeItem(DRAFTS_STORAGE_KEY)
      : sessionStorage.setItem(DRAFTS_STORAGE_KEY, JSON.stringify(kept)),
  )
  listeners.call()
}

/** Storage may be forbidden or full: then words wait until the page is left. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
