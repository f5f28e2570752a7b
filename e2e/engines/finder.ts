import { configure, queryAllByLabelText, queryAllByRole, queryAllByText } from '@testing-library/dom'
import type { Query } from './engine.ts'

/** Built into one script that runs in the page of every engine: elements are found as a screen reader names them. */

configure({ defaultHidden: false })

function find({ label, name, role, text, within }: Query): Element | null {
  const root = within ? find(within) : document.body
  if (!(root instanceof HTMLElement)) return null
  const words = (given: Query['name']) =>
    typeof given === 'object' ? new RegExp(given.source, given.flags) : given
  const all = () => {
    if (label !== undefined) return queryAllByLabelText(root, label)
    if (role === undefined) return queryAllByText(root, words(text) ?? '', { ignore: 'script, style' })
    const named = words(name)
    return queryAllByRole(root, role, named === undefined ? {} : { name: named })
  }
  return all().find((element) => isSeen(element) && rests(element)) ?? null
}

function isSeen(element: Element): boolean {
  return element.checkVisibility() && element.getClientRects().length > 0
}

/** A click on an element that still moves hits another one. */
function rests(element: Element): boolean {
  return document.getAnimations().every(({ effect, playState }) => {
    const isOver = playState !== 'running' || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY
    return isOver || !(effect instanceof KeyframeEffect) || !effect.target?.contains(element)
  })
}

Reflect.set(window, 'findForJourney', find)
