import { VISITS_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { beforeEach, expect, test, vi } from 'vitest'
import { isLaterVisit } from './visits.ts'

beforeEach(() => {
  sessionStorage.clear()
  localStorage.removeItem(VISITS_STORAGE_KEY)
})

test('a session of a tab stays the first visit however often it is asked, and the next one is a later visit', () => {
  expect([isLaterVisit(), isLaterVisit()]).toEqual([false, false])
  sessionStorage.clear()
  expect([isLaterVisit(), isLaterVisit()]).toEqual([true, true])
})

test('where storage is forbidden every visit is the first', () => {
  const forbid = vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new DOMException('Forbidden', 'SecurityError')
  })
  expect(isLaterVisit()).toBe(false)
  forbid.mockRestore()
})
