import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { storeSession } from '../../lib/test-session.ts'
import { EmailPart } from './email-part.tsx'

afterEach(() => {
  cleanup()
  localStorage.clear()
})

test('the address is that of this browser’s session, which another tab may have changed since the account was read', () => {
  storeSession()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <EmailPart email="before@example.com" />
    </QueryClientProvider>,
  )
  screen.getByText('maria@example.com')
  expect(screen.queryByText('before@example.com')).toBeNull()
})
