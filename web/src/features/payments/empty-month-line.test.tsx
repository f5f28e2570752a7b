import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { EmptyMonthLine, EmptyMonthNote } from './empty-month-line.tsx'

test('the promise of empty months stands where they go back by themselves, and nowhere else', () => {
  const { container, rerender } = render(<EmptyMonthLine returns />)
  screen.getByText('A month in which nothing is published comes back to you.')
  rerender(<EmptyMonthNote returns />)
  screen.getByText(/goes back to them by itself/)
  for (const returns of [false, undefined]) {
    rerender(
      <>
        <EmptyMonthLine returns={returns} />
        <EmptyMonthNote returns={returns} />
      </>,
    )
    expect(container.textContent).toBe('')
  }
})
