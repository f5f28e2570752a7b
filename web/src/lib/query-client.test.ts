import { InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiRefusal } from './api-refusal.ts'
import { makeStale, queryClient, triedOnce } from './query-client.ts'

const MINUTE_MS = 60_000

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  queryClient.clear()
  vi.useRealTimers()
})

test('an answer that no screen shows any more is forgotten after five minutes', {
  tags: ['CONST-13'],
}, async () => {
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

test('between tries the client waits twice as long each time, thirty seconds at most', {
  tags: ['CONST-12'],
}, async () => {
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

/** A query that is tried once and good for ten minutes, in the shell and on screens that come and go. */
function failing(error: Error) {
  const queryFn = vi.fn<() => Promise<string>>().mockRejectedValue(error)
  const options = { queryKey: ['account', 'of a test'], queryFn, ...triedOnce(10 * MINUTE_MS) }
  const mount = async () => {
    const leave = new QueryObserver(queryClient, options).subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(0)
    return leave
  }
  return { queryFn, mount }
}

test('a failure is not asked again by the next screen, until as much time has passed as an answer is good for', async () => {
  const { queryFn, mount } = failing(new ApiRefusal(500))
  const leaveShell = await mount()
  for (let screen = 0; screen < 3; screen += 1) (await mount())()
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS - 1)
  ;(await mount())()
  expect(queryFn).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  ;(await mount())()
  expect(queryFn).toHaveBeenCalledTimes(2)
  leaveShell()
})

test('a failure behind an older answer is not asked again by the next screen either', async () => {
  const { queryFn, mount } = failing(new ApiRefusal(503))
  queryFn.mockResolvedValueOnce('answer')
  const leaveShell = await mount()
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
  for (let screen = 0; screen < 3; screen += 1) (await mount())()
  expect(queryFn).toHaveBeenCalledTimes(2)
  leaveShell()
})

test('a missing thing is asked for again, and so is a failure that something has made stale', async () => {
  const unknown = failing(new ApiRefusal(404))
  ;(await unknown.mount())()
  ;(await unknown.mount())()
  expect(unknown.queryFn).toHaveBeenCalledTimes(2)
  queryClient.clear()

  const broken = failing(new ApiRefusal(500))
  ;(await broken.mount())()
  await makeStale(queryClient, ['positions'])
  ;(await broken.mount())()
  expect(broken.queryFn).toHaveBeenCalledTimes(1)
  await makeStale(queryClient, ['account'])
  ;(await broken.mount())()
  expect(broken.queryFn).toHaveBeenCalledTimes(2)
})

test('a further page that is on its way when its list becomes stale arrives, and then the whole list is asked again', async () => {
  const asked: number[] = []
  const pages = Promise.withResolvers<void>()
  const list = new InfiniteQueryObserver(queryClient, {
    queryKey: ['pages'],
    queryFn: async ({ pageParam }) => {
      asked.push(pageParam)
      if (asked.length === 2) await pages.promise
      return pageParam
    },
    initialPageParam: 1,
    getNextPageParam: (last) => last + 1,
  })
  const leave = list.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(0)
  const more = list.fetchNextPage()
  const stale = makeStale(queryClient, ['pages'])
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual([1, 2])
  pages.resolve()
  expect((await more).data?.pages).toEqual([1, 2])
  await vi.advanceTimersByTimeAsync(0)
  await stale
  expect(asked).toEqual([1, 2, 1, 2])
  leave()
})
