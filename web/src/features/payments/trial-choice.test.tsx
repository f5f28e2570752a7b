import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { TrialChoice } from './trial-choice.tsx'

afterEach(cleanup)

test('a trader chooses none, 7 or 14 free days', () => {
  const onChange = vi.fn()
  render(<TrialChoice value={7} onChange={onChange} />)
  screen.getByRole('group', { name: 'Free days for new followers' })
  const chosen = screen.getAllByRole<HTMLInputElement>('radio').map(({ checked }) => checked)
  expect(chosen).toEqual([false, true, false])
  for (const name of ['None', '14 days']) fireEvent.click(screen.getByRole('radio', { name }))
  expect(onChange.mock.calls).toEqual([[null], [14]])
})
