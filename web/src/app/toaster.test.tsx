import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toast } from '../ui/toast.ts'
import { Toaster } from './toaster.tsx'

const HOUR_MS = 3_600_000

beforeEach(() => {
  vi.useFakeTimers()
  // Toasts of earlier files, which did not wait for their end.
  toast.remove()
})
afterEach(() => {
  act(() => toast.remove())
  cleanup()
  vi.useRealTimers()
})

function pass(milliseconds: number): void {
  act(() => vi.advanceTimersByTime(milliseconds))
}

const shown = () => document.querySelectorAll('[data-slot=toast].opacity-100').length

test('toasts stay four seconds, errors too, and successes two', { tags: ['CONST-02', 'CONST-03'] }, () => {
  render(<Toaster />)
  act(() => {
    toast('plain')
    toast.error('failed')
    toast.success('done')
  })
  expect(shown()).toBe(3)
  pass(1999)
  expect(shown()).toBe(3)
  pass(1)
  expect(shown()).toBe(2)
  pass(1999)
  expect(shown()).toBe(2)
  pass(1)
  expect(shown()).toBe(0)
})

test('a loading toast stays until it is over', { tags: ['CONST-04'] }, () => {
  render(<Toaster />)
  let id = ''
  act(() => {
    id = toast.loading('Loading …')
  })
  pass(HOUR_MS)
  expect(shown()).toBe(1)
  act(() => void toast.success('Loaded', { id }))
  screen.getByText('Loaded')
  pass(2000)
  expect(shown()).toBe(0)
})

test('at most the newest twenty toasts are shown', { tags: ['CONST-05'] }, () => {
  render(<Toaster />)
  act(() => {
    for (let number = 1; number <= 25; number += 1) toast(`toast ${number}`)
  })
  expect(shown()).toBe(20)
  screen.getByText('toast 25')
  screen.getByText('toast 6')
  expect(screen.queryByText('toast 5')).toBeNull()
})
