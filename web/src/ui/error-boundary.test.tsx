import { act, cleanup, render, screen } from '@testing-library/react'
import { useLayoutEffect } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ErrorBoundary } from './error-boundary.tsx'

const FAILURE = 'Something went wrong, please try again.'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A page of two parts, of which the first fails at its next `times` drawings. */
function makePage() {
  let times = 0
  const First = () => {
    // Fails at the commit, as a changed document does. React itself retries a fault before the commit.
    useLayoutEffect(() => {
      times -= 1
      if (times >= 0) throw new Error('It cannot be drawn.')
    })
    return <p>first</p>
  }
  const Page = () => (
    <main>
      <ErrorBoundary>
        <First />
      </ErrorBoundary>
      <ErrorBoundary>
        <p>second</p>
      </ErrorBoundary>
    </main>
  )
  const page = render(<Page />)
  function failTimes(wanted: number): void {
    times = wanted
    page.rerender(<Page />)
  }
  return { failTimes }
}

test('a part that could not be drawn is drawn again by itself, and no failure is shown', () => {
  const { failTimes } = makePage()
  failTimes(1)
  expect(screen.getByText('first')).toBeDefined()
  expect(screen.queryByText(FAILURE)).toBeNull()
})

test('a part that cannot be drawn again shows the failure with its button, and the other parts stay', () => {
  const { failTimes } = makePage()
  failTimes(100)
  expect(screen.getByText(FAILURE)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
  expect(screen.getByText('second')).toBeDefined()
})

test('a second fault within a minute is shown, a later one is drawn again', () => {
  const { failTimes } = makePage()
  failTimes(1)
  vi.advanceTimersByTime(60_001)
  failTimes(1)
  expect(screen.getByText('first')).toBeDefined()
  vi.advanceTimersByTime(59_000)
  failTimes(1)
  expect(screen.queryByText('first')).toBeNull()
  expect(screen.getByText(FAILURE)).toBeDefined()
})

test('a text that was moved away breaks the part that takes it away, which is then drawn as it is now', () => {
  const Bare = ({ shown }: { shown: boolean }) => (
    <ErrorBoundary>
      <p>
        {shown && 'typed'}
        <b>after</b>
      </p>
    </ErrorBoundary>
  )
  const page = render(<Bare shown />)
  const text = screen.getByText('after').previousSibling as Text
  text.replaceWith(document.createElement('font'))
  act(() => page.rerender(<Bare shown={false} />))
  expect(page.container.innerHTML).toBe('<p><b>after</b></p>')
})
