import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadIfGone } from './gone-part.ts'

const PART = 'http://localhost:3000/assets/search-1.js'
const gone = new TypeError(`Failed to fetch dynamically imported module: ${PART}`)
const reload = vi.fn()
const fetched = vi.fn<typeof fetch>()

beforeEach(() => {
  sessionStorage.clear()
  reload.mockReset()
  fetched.mockReset().mockImplementation(async () => new Response(null, { status: 404 }))
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('location', { href: 'http://localhost:3000/search', reload })
})
afterEach(() => vi.unstubAllGlobals())

/** Whether the page stayed. One that reloads itself never goes on. */
async function stays(failure: unknown): Promise<boolean> {
  const stayed = reloadIfGone(failure).then(() => true)
  await vi.waitFor(async () =>
    expect(reload.mock.calls.length + Number(await settled(stayed))).toBeGreaterThan(0),
  )
  return settled(stayed)
}

const settled = (promise: Promise<boolean>) =>
  Promise.race([promise, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 0))])

test('a part that is gone has the page reloaded, once', async () => {
  expect(await stays(gone)).toBe(false)
  expect(fetched.mock.calls[0]?.[0]).toBe(PART)
  expect(reload).toHaveBeenCalledTimes(1)
  reload.mockReset()
  expect(await stays(gone)).toBe(true)
  expect(reload).not.toHaveBeenCalled()
})

test('two parts that are gone for good do not take turns', async () => {
  const other = new TypeError(`error loading dynamically imported module: ${PART}2`)
  expect(await stays(gone)).toBe(false)
  expect(await stays(other)).toBe(false)
  reload.mockReset()
  expect(await stays(gone)).toBe(true)
  expect(await stays(other)).toBe(true)
  expect(reload).not.toHaveBeenCalled()
})

test('a part that is there, or whose server cannot be asked, leaves the page as it is', async () => {
  fetched.mockImplementation(async () => new Response(null))
  expect(await stays(gone)).toBe(true)
  fetched.mockRejectedValue(new TypeError('Failed to fetch'))
  expect(await stays(gone)).toBe(true)
  expect(reload).not.toHaveBeenCalled()
})

test('where the browser does not name the part, a server that answers has the page reloaded', async () => {
  fetched.mockImplementation(async () => new Response(null))
  expect(await stays(new TypeError('Importing a module script failed.'))).toBe(false)
  expect(fetched.mock.calls[0]?.[0]).toBe('http://localhost:3000/search')
})

test('a browser that keeps nothing is not made to load for ever', async () => {
  vi.stubGlobal('sessionStorage', {
    getItem() {
      throw new DOMException('Denied', 'SecurityError')
    },
  })
  expect(await stays(gone)).toBe(true)
})
