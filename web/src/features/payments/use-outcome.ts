import { type RefObject, useEffect, useRef } from 'react'
import type { Expect } from './leaving.api.ts'

/**
 * Brings the focus to where a row tells the outcome of a press of the viewer's, once that is drawn: the button that was pressed is gone by
 * then, and the focus would fall to the top of the page. A change that nobody pressed for moves nothing.
 * @param outcome changes with what the row tells
 * @returns the place, which can take the focus, and whom a press is to tell
 */
export function useOutcome(outcome: string): { place: RefObject<HTMLSpanElement | null>; expect: Expect } {
  const place = useRef<HTMLSpanElement>(null)
  const isExpected = useRef(false)
  const drawn = useRef(outcome)
  useEffect(() => {
    const isNew = drawn.current !== outcome
    drawn.current = outcome
    if (!isNew || !isExpected.current) return
    isExpected.current = false
    place.current?.focus()
  }, [outcome])
  const expect = (is: boolean) => {
    isExpected.current = is
  }
  return { place, expect }
}
