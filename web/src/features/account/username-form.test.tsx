import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { UsernameForm } from './username-form.tsx'

const fetched = vi.fn<typeof fetch>()

beforeEach(() => {
  // jsdom knows the dialog element, but not how to open it.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  storeSession()
  fetched.mockReset()
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show(username = ''): void {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <UsernameForm username={username} />
    </QueryClientProvider>,
  )
}

const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Username' })
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

function type(value: string): void {
  fireEvent.change(field(), { target: { value } })
}

test.each([
  [2, true, false],
  [3, false, false],
  [15, false, false],
  [16, true, true],
])(
  'with %d characters Set Username is disabled: %j, and the name too long: %j',
  (length, disabled, tooLong) => {
    show()
    type('a'.repeat(length))
    expect(button('Set Username').disabled).toBe(disabled)
    expect(screen.queryByText('Username is too long') !== null).toBe(tooLong)
    expect(field().getAttribute('aria-invalid')).toBe(tooLong ? 'true' : null)
  },
)

test('the name is sent only after it was confirmed', async () => {
  fetched.mockImplementation(async () => jsonAnswer(200, { username: 'Maria' }))
  show()
  type(' Maria ')
  fireEvent.click(button('Set Username'))
  screen.getByText('Username Confirmation')
  screen.getByText('Please confirm you want Maria as your username.')
  fireEvent.click(button('Cancel'))
  expect(screen.queryByText('Username Confirmation')).toBeNull()
  expect(fetched).not.toHaveBeenCalled()
  fireEvent.click(button('Set Username'))
  fireEvent.click(button('Confirm'))
  await waitFor(() => expect(screen.queryByText('Username Confirmation')).toBeNull())
  expect(fetched).toHaveBeenCalledOnce()
  const [url, request] = fetched.mock.calls[0] ?? []
  expect(url).toBe('/v1/accounts/username')
  expect(request?.body).toBe('{"username":"Maria"}')
})

test('once the name is set, the field only shows it', () => {
  show('Maria')
  expect(field().value).toBe('Maria')
  expect(field().disabled).toBe(true)
  expect(screen.queryByRole('button', { name: 'Set Username' })).toBeNull()
})

test('a refusal is shown in the dialog, which stays', async () => {
  fetched.mockImplementation(async () => jsonAnswer(409, { message: 'That username is taken.' }))
  show()
  type('Maria')
  fireEvent.click(button('Set Username'))
  fireEvent.click(button('Confirm'))
  const reason = await screen.findByText('That username is taken.')
  expect(reason.closest('dialog')).not.toBeNull()
  screen.getByText('Username Confirmation')
})

test.each([
  ['tr', null],
  ['tr ader', 'Use letters, numbers, hyphens and underscores only.'],
  ['trädër', 'Use letters, numbers, hyphens and underscores only.'],
  ['ä', 'Use letters, numbers, hyphens and underscores only.'],
  ['-trader', 'Begin with a letter or number.'],
  [' trader ', null],
])(
  'while %j is typed the letters that a name may have are explained, and the button goes by the length',
  (typed, shown) => {
    show()
    type(typed)
    const described = field().getAttribute('aria-describedby')?.split(' ') ?? []
    const sentences = described.map((id) => document.getElementById(id)?.textContent ?? '')
    expect(sentences.filter((sentence) => sentence === shown)).toHaveLength(shown ? 1 : 0)
    expect(field().getAttribute('aria-invalid')).toBe(shown && 'true')
    expect(button('Set Username').disabled).toBe(typed.trim().length < 3)
  },
)
