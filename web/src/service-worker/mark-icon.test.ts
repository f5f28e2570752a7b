import { expect, test } from 'vitest'
import { markIcon } from './mark-icon.ts'

/** A worker with so many open pages; `setAppBadge` is what its browser does, null where it has none. */
function workerWith(pages: number, setAppBadge: (() => Promise<void>) | null) {
  const clients = { matchAll: async () => Array.from({ length: pages }, () => ({})) }
  const navigator = setAppBadge ? { setAppBadge } : {}
  return { clients, navigator } as unknown as Parameters<typeof markIcon>[0]
}

test('the icon is marked without a number where no page is open, and left to a page that is', async () => {
  const marks: unknown[][] = []
  const mark = async (...given: unknown[]) => void marks.push(given)
  await markIcon(workerWith(1, mark))
  expect(marks).toEqual([])
  await markIcon(workerWith(0, mark))
  expect(marks).toEqual([[]])
})

test('a browser that forbids it, or does not have it, goes on without', async () => {
  await markIcon(workerWith(0, () => Promise.reject(new Error('Forbidden'))))
  await markIcon(workerWith(0, null))
})
