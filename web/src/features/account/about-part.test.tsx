import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { claimDrafts, discardDrafts, readDraft } from '../../lib/drafts.ts'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { AboutPart } from './about-part.tsx'
import { accountQuery } from './account.api.ts'

afterEach(() => {
  cleanup()
  discardDrafts()
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

test('words about oneself wait through a look elsewhere, until they are saved', async () => {
  storeSession()
  vi.stubGlobal('fetch', async (path: string) =>
    path.endsWith('/about') ? jsonAnswer(200, { about: 'Swings in chips.' }) : jsonAnswer(503, {}),
  )
  claimDrafts('maria')
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const account = { username: 'maria', trader: true, customer: false, about: 'Swings.' }
  client.setQueryData(accountQuery.queryKey, account)
  const look = (about = 'Swings.') => {
    cleanup()
    render(
      <QueryClientProvider client={client}>
        <AboutPart account={{ ...account, about }} />
      </QueryClientProvider>,
    )
    return screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'About you' })
  }
  fireEvent.change(look(), { target: { value: '' } })
  expect(look().value).toBe('')
  fireEvent.change(look(), { target: { value: 'Swings in chips.' } })
  expect(look().value).toBe('Swings in chips.')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(readDraft('about')).toBeUndefined())
  expect(look('Swings in banks.').value).toBe('Swings in banks.')
})
