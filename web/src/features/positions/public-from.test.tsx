import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { makePosition } from './make-position.ts'
import { PublicFrom, publicityOf } from './public-from.tsx'

afterEach(cleanup)

const position = makePosition({ publicAt: '2026-12-08T15:00:00.000Z' })

test('a row shows from when on a position is public, and since when it is', () => {
  const words = (now: string) => {
    const { container } = render(<PublicFrom {...publicityOf(position, new Date(now))} />)
    return container.querySelector('[data-slot]')?.textContent
  }
  expect(words('2026-12-08T14:59:59.999Z')).toBe('public from Dec 8')
  cleanup()
  // The short form is for narrow screens, and hidden from screen readers.
  expect(words('2026-12-08T15:00:00.000Z')).toBe('public since Dec 8public')
  cleanup()
  expect(words('2026-12-13T16:00:00.000Z')).toBe('public since Dec 85 d over plan')
})

test('the instant of a position that came without it follows from the rule', () => {
  const { publicAt: _, ...bare } = position
  expect(publicityOf(bare, new Date('2026-11-17T15:00:00.000Z'))).toEqual({
    day: 'Dec 8',
    isPublic: false,
    over: null,
  })
})
