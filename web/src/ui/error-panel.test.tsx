import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { ErrorPanel } from './error-panel.tsx'

afterEach(cleanup)

function Page({ failed }: { failed: boolean }) {
  return (
    <main>
      <a href="/elsewhere">Elsewhere</a>
      {failed ? <ErrorPanel message="It failed." onRetry={() => undefined} /> : <p>It is loaded.</p>}
    </main>
  )
}

test('a panel that goes by itself leaves the focus in its part of the page, where it had it', () => {
  const page = render(<Page failed />)
  screen.getByRole('button', { name: 'Try again' }).focus()
  page.rerender(<Page failed={false} />)
  expect(document.activeElement).toBe(screen.getByRole('main'))
})

test('a panel that goes by itself takes the focus from nothing else', () => {
  const page = render(<Page failed />)
  screen.getByRole('link', { name: 'Elsewhere' }).focus()
  page.rerender(<Page failed={false} />)
  expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Elsewhere' }))
})
