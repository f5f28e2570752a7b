import { useCallback, useEffect, useState } from 'react'
import { reloadIfGone } from './gone-part.ts'

/** Code of a part of the page that is fetched separately. */
export type Part<Code> = {
  /** Null until it is there. */
  code: Code | null
  /** It could not be fetched: no network, or a newer version of the product was put in place. */
  failed: boolean
  retry: () => void
}

/**
 * Fetches a part of the page, and again when a network is back. A failure stays with the part: the screen around it goes on.
 * Not React's `lazy`, which draws up to a third of a second late, however soon the code is there, and fails for good.
 * @param load a function of the module's, not created for each drawing
 * @param wanted whether it is needed yet
 */
export function usePart<Code>(load: () => Promise<Code>, wanted: boolean): Part<Code> {
  const [code, setCode] = useState<Code | null>(null)
  const [failed, setFailed] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const retry = useCallback(() => setAttempt((before) => before + 1), [])
  const missing = wanted && code === null

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks again
  useEffect(() => {
    if (!missing) return
    let current = true
    load().then(
      (loaded) => current && setCode(() => loaded),
      async (failure) => {
        await reloadIfGone(failure)
        if (current) setFailed(true)
      },
    )
    return () => {
      current = false
    }
  }, [missing, load, attempt])

  useEffect(() => {
    if (!missing || !failed) return
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [missing, failed, retry])

  return { code, failed: missing && failed, retry }
}
