import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addLayer, arrive, leaveLayers } from './layers.ts'

let nth = 0
const open: (() => void)[] = []

beforeEach(() => {
  nth += 1
  history.pushState(null, '', `/before-${nth}`)
  history.pushState(null, '', `/page-${nth}`)
  addEventListener('popstate', arrive)
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const close of open.splice(0)) close()
  await rest()
  removeEventListener('popstate', arrive)
})

/** Opens something that Back closes, unless it stays. */
function openLayer({ stays = false } = {}): { isOpen: boolean; close: () => void } {
  const remove = addLayer(() => !stays && layer.close())
  const layer = {
    isOpen: true,
    close() {
      layer.isOpen = false
      remove()
    },
  }
  open.push(layer.close)
  return layer
}

/** Until the history has come to rest: jsdom travels in tasks of its own. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setTimeout(resolve))
}

async function travel(by: number): Promise<string> {
  history.go(by)
  await rest()
  return location.pathname
}

/** Goes elsewhere as a link does. */
async function goTo(path: string, replace = false): Promise<void> {
  leaveLayers(replace, (replacing) =>
    replacing ? history.replaceState(null, '', path) : history.pushState(null, '', path),
  )
  await rest()
}

test('Back closes what is on top, one after the other, and then leaves the page', async () => {
  const [window_, question] = [openLayer(), openLayer()]
  expect(await travel(-1)).toBe(`/page-${nth}`)
  expect([window_.isOpen, question.isOpen]).toEqual([true, false])
  expect(await travel(-1)).toBe(`/page-${nth}`)
  expect(window_.isOpen).toBe(false)
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('a layer that has closed by itself leaves no entry behind: one press leads to the page before', async () => {
  const [window_, question] = [openLayer(), openLayer()]
  question.close()
  window_.close()
  await rest()
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('a layer that opens as another closes takes its entry over', async () => {
  const first = openLayer()
  first.close()
  const second = openLayer()
  await rest()
  expect(await travel(-1)).toBe(`/page-${nth}`)
  expect(second.isOpen).toBe(false)
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('Forward to a window that is closed stays on the page, which one press leaves', async () => {
  openLayer()
  await travel(-1)
  expect(await travel(1)).toBe(`/page-${nth}`)
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('a layer that waits for an answer stays open at Back, and closes at the next', async () => {
  const busy = { stays: true }
  const waiting = addLayer(() => !busy.stays && waiting())
  open.push(waiting)
  expect(await travel(-1)).toBe(`/page-${nth}`)
  busy.stays = false
  expect(await travel(-1)).toBe(`/page-${nth}`)
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('a way to elsewhere closes all that is open and leaves one page to come back to', async () => {
  const layers = [openLayer(), openLayer()]
  await goTo('/elsewhere')
  expect(layers.map(({ isOpen }) => isOpen)).toEqual([false, false])
  expect(location.pathname).toBe('/elsewhere')
  expect(await travel(-1)).toBe(`/page-${nth}`)
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('a redirect from under an open window takes the place of its page', async () => {
  openLayer()
  await goTo('/login', true)
  expect(location.pathname).toBe('/login')
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('a way to elsewhere right after a window has closed adds one page', async () => {
  openLayer().close()
  await Promise.resolve()
  await goTo('/elsewhere')
  expect(location.pathname).toBe('/elsewhere')
  expect(await travel(-1)).toBe(`/page-${nth}`)
  expect(await travel(-1)).toBe(`/before-${nth}`)
})

test('several entries back at once close what is open and show the page that is there', async () => {
  const layer = openLayer()
  expect(await travel(-2)).toBe(`/before-${nth}`)
  expect(layer.isOpen).toBe(false)
})

test('a layer that does not close by itself lies over no other page', async () => {
  open.push(addLayer(() => undefined))
  expect(await travel(-2)).toBe(`/before-${nth}`)
  expect(history.state).toBeNull()
})

test('where the history has lost the page below, an entry that stands for nothing becomes the page’s', async () => {
  const layer = openLayer()
  expect(history.state).toEqual({ layers: 1 })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const go = vi.spyOn(history, 'go').mockImplementation(() => undefined)
  layer.close()
  await Promise.resolve()
  expect(go).toHaveBeenCalledWith(-1)
  vi.advanceTimersByTime(1000)
  vi.useRealTimers()
  vi.restoreAllMocks()
  expect(history.state).toBeNull()
  await goTo('/elsewhere')
  expect(location.pathname).toBe('/elsewhere')
})
