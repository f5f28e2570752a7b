import { QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { NextPage } from './next-page.tsx'

afterEach(cleanup)

/** Pages that are numbered from 1, each answered when the test calls for it; and the list of requested pages. */
function startList() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const asked: number[] = []
  const answers: PromiseWithResolvers<number>[] = []
  const options = {
    queryKey: ['pages'],
    queryFn: ({ pageParam }: { pageParam: number }) => {
      asked.push(pageParam)
      const answer = Promise.withResolvers<number>()
      answers.push(answer)
      return answer.promise
    },
    initialPageParam: 1,
    getNextPageParam: (last: number) => last + 1,
  }
  function List() {
    const list = useInfiniteQuery(options)
    return (
      <>
        <p>{`pages ${list.data?.pages.join(', ')}`}</p>
        <NextPage list={list} failure="It failed." />
      </>
    )
  }
  render(
    <QueryClientProvider client={client}>
      <List />
    </QueryClientProvider>,
  )
  return {
    client,
    asked,
    /** The latest call. */
    answer: () => answers.at(-1)?.resolve(asked.at(-1) ?? 0),
    fail: () => answers.at(-1)?.reject(new Error('no')),
  }
}

const button = () => screen.getByRole('button')

test('a page that is asked for while the list is fetched again comes after that, and the list has both', async () => {
  const { answer, asked, client } = startList()
  answer()
  await screen.findByText('pages 1')
  void client.invalidateQueries()
  await expect.poll(() => asked).toEqual([1, 1])
  fireEvent.click(button())
  await expect.poll(() => button().getAttribute('aria-busy')).toBe('true')
  expect(asked).toEqual([1, 1])
  answer()
  await expect.poll(() => asked).toEqual([1, 1, 2])
  answer()
  await screen.findByText('pages 1, 2')
  expect(button().textContent).toBe('Show more')
})

test('a page that failed is asked for again', async () => {
  const { answer, asked, fail } = startList()
  answer()
  await screen.findByText('pages 1')
  fireEvent.click(button())
  await expect.poll(() => asked).toEqual([1, 2])
  fail()
  await screen.findByText('It failed.')
  fireEvent.click(button())
  await expect.poll(() => asked).toEqual([1, 2, 2])
  answer()
  await screen.findByText('pages 1, 2')
})
