import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Button, buttonLook } from './button.tsx'

afterEach(cleanup)

test.each(['default', 'destructive', 'outline', 'secondary', 'ghost', 'link'] as const)(
  'the variant %s has its own look',
  (variant) => {
    const { rerender } = render(<Button variant="default">x</Button>)
    const plain = screen.getByRole('button').className
    rerender(<Button variant={variant}>x</Button>)
    expect(screen.getByRole('button').className === plain).toBe(variant === 'default')
  },
)

test.each(['default', 'sm', 'lg', 'icon'] as const)('the size %s has its own look', (size) => {
  const { rerender } = render(<Button>x</Button>)
  const plain = screen.getByRole('button').className
  rerender(<Button size={size}>x</Button>)
  expect(screen.getByRole('button').className === plain).toBe(size === 'default')
})

test('while loading a spinner takes the place of the text, the name stays, and clicks do nothing', () => {
  const clicked = vi.fn()
  const submitted = vi.fn()
  render(
    <form onSubmit={submitted}>
      <Button type="submit" loading onClick={clicked}>
        Continue
      </Button>
    </form>,
  )
  const button = screen.getByRole('button', { name: 'Continue' })
  expect(button.querySelector('[data-slot=spinner]')).not.toBeNull()
  expect(screen.getByText('Continue').className).toContain('invisible')
  expect(button.getAttribute('aria-busy')).toBe('true')
  expect(button.className).toContain('min-w-')
  fireEvent.click(button)
  expect(clicked).not.toHaveBeenCalled()
  expect(submitted).not.toHaveBeenCalled()
})

test('a link can look like a button', () => {
  render(
    <a href="/search" {...buttonLook({})}>
      Search
    </a>,
  )
  expect(screen.getByRole('link', { name: 'Search' }).className).toContain('bg-action')
})
