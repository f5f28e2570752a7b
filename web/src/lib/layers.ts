/*
 * The layers over a page, as Back sees them: a window, the drawer, a menu. Each has an entry of its own in the history, at the page's
 * address, so that Back (the gesture of a phone) takes away what is on top and leaves the page. An entry holds how many layers
 * lie there; the history is brought to the number of open layers, whatever opens, closes or travels.
 */

type Layer = { close: () => void }

/** The lowest first. */
const layers: Layer[] = []
/** The address of the page that they lie on. */
let under = ''
/** A travel of ours that has not arrived, and what follows it. */
let travelling: { next: (() => void) | null; timer: ReturnType<typeof setTimeout> } | null = null

/** A travel that leads nowhere is given up after this: browsers keep no more than fifty entries. */
const TRAVEL_MS = 1000

/**
 * Records that something has opened over the page.
 * @param close called when Back or a way to elsewhere takes it away; it may stay, as a window does that waits for an answer
 * @returns to be called when it has closed
 */
export function addLayer(close: () => void): () => void {
  const layer = { close }
  if (layers.length === 0) under = location.href
  layers.push(layer)
  settle()
  return () => {
    const at = layers.indexOf(layer)
    if (at < 0) return
    layers.splice(at, 1)
    // Not at once: one that opens in the same moment takes the entry over.
    queueMicrotask(settle)
  }
}

/**
 * Closes what is open and goes to another entry without leaving theirs behind.
 * @param replace whether the page's own entry is to be taken
 * @param go writes the new entry; its argument is whether it takes the place of the present one
 */
export function leaveLayers(replace: boolean, go: (replace: boolean) => void): void {
  closeDownTo(0)
  const kept = replace ? 0 : 1
  if (travelling) travelling.next = () => leaveLayers(replace, go)
  else if (entries() === 0) go(replace)
  else if (entries() === kept) go(true)
  else travel(kept - entries(), () => go(true))
}

/** To be called when the browser has travelled through the history. */
export function arrive(): void {
  if (travelling) {
    endTravel()
    return
  }
  if (location.href !== under) closeDownTo(0)
  // They are called and not forgotten: one that stays open gets its entry back.
  for (const { close } of layers.slice(entries()).reverse()) close()
  queueMicrotask(settle)
}

/** A page that was reloaded has none of the windows that its entry counts. */
export function settleOnLoad(): void {
  if (document.readyState === 'complete') settle()
  else addEventListener('load', settle, { once: true })
}

function entries(): number {
  return (history.state as { layers?: number } | null)?.layers ?? 0
}

function closeDownTo(count: number): void {
  for (const { close } of layers.splice(count).reverse()) close()
}

function settle(): void {
  if (travelling) return
  const extra = entries() - layers.length
  if (extra > 0) travel(-extra, null)
  while (entries() < layers.length) history.pushState({ layers: entries() + 1 }, '')
}

function travel(by: number, next: (() => void) | null): void {
  const giveUp = () => {
    history.replaceState(null, '')
    endTravel()
  }
  travelling = { next, timer: setTimeout(giveUp, TRAVEL_MS) }
  history.go(by)
}

function endTravel(): void {
  const next = travelling?.next
  clearTimeout(travelling?.timer)
  travelling = null
  next?.()
  settle()
}
