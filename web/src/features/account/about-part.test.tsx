import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { AboutPart } from './about-part.tsx'
import { accountQuery } from './account.api.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('words that are typed while a text is being saved stay in the field', async () => {
  storeSession()
  const answer = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', async (path: string) =>
    path.endsWith('/about') ? answer.promise : jsonAnswer(503, {}),
  )
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const account = { username: 'maria', trader: true, customer: false, about: 'Swings.' }
  client.setQueryData(accountQuery.queryKey, account)
  render(
    <QueryClientProvider client={client}>
      <AboutPart account={account} />
    </QueryClientProvider>,
  )
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'About you' })
  fireEvent.change(field, { target: { value: 'Swings in chips.' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  fireEvent.change(field, { target: { value: 'Swings in chips, and banks.' } })
  answer.resolve(jsonAnswer(200, { about: 'Swings in chips.' }))
  await waitFor(() => expect(client.getQueryData(accountQuery.queryKey)?.about).toBe('Swings in chips.'))
  expect(field.value).toBe('Swings in chips, and banks.')
})
