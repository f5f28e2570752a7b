import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from './query-client.ts'

const MINUTE_MS = 60_000

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  queryClient.clear()
  vi.useRealTimers()
})

test('CONST-13: what no screen shows any more is forgotten after five minutes', async () => {
  const queryKey = ['what is kept']
  const observer = new QueryObserver(queryClient, { queryKey, queryFn: async () => 'answer' })
  const leave = observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS)
  expect(queryClient.getQueryData(queryKey)).toBe('answer')
  leave()
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS - 1)
  expect(queryClient.getQueryData(queryKey)).toBe('answer')
  await vi.advanceTimersByTimeAsync(1)
  expect(queryClient.getQueryData(queryKey)).toBeUndefined()
})

test('CONST-12: between tries it waits twice as long each time, thirty seconds at most', async () => {
  const queryKey = ['what fails']
  const tries: number[] = []
  const failed = queryClient
    .fetchQuery({
      queryKey,
      retry: 8,
      queryFn: async () => {
        tries.push(Date.now())
        throw new Error('no')
      },
    })
    .catch(() => 'failed')
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS)
  expect(await failed).toBe('failed')
  const pauses = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / 1000)
  expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30])
})
