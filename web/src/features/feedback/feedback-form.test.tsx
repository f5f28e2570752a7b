import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { toast } from '../../ui/toast.ts'
import { FeedbackForm } from './feedback-section.tsx'

const WORDS = 'The chart should show the opening price.'
const fetched = vi.fn<typeof fetch>()
const thanked = vi.spyOn(toast, 'success')

beforeEach(() => {
  storeSession()
  fetched.mockReset()
  thanked.mockClear()
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show() {
  const onSent = vi.fn()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <FeedbackForm onSent={onSent} />
    </QueryClientProvider>,
  )
  return { onSent }
}

const comments = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Comments' })
const submit = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Submit' })
const type = (value: string) => fireEvent.change(comments(), { target: { value } })

test.each([
  ['nothing', '', '0/500 (min. 10)', false],
  ['9 characters', 'x'.repeat(9), '9/500 (min. 10)', false],
  ['10 characters', 'x'.repeat(10), '10/500 (min. 10)', true],
  ['9 characters among blanks', ` ${'x'.repeat(9)} `, '9/500 (min. 10)', false],
  ['10 blanks', ' '.repeat(10), '0/500 (min. 10)', false],
  ['blanks around 500 characters', `\n${'x'.repeat(500)} `, '500/500 (min. 10)', true],
  ['500 characters', 'x'.repeat(500), '500/500 (min. 10)', true],
  ['501 characters, which the server will refuse', 'x'.repeat(501), '501/500 (min. 10)', true],
])('with %s the counter and the button follow', (_, text, counter, enabled) => {
  show()
  type(text)
  screen.getByText(counter)
  expect(submit().disabled).toBe(!enabled)
  expect(comments().value).toBe(text)
})

test('feedback is sent, thanked for at the library’s own length, and cleared', async () => {
  fetched.mockImplementation(async () => jsonAnswer(201, { ok: true }))
  const { onSent } = show()
  type(WORDS)
  fireEvent.click(submit())
  await waitFor(() => expect(onSent).toHaveBeenCalledOnce())
  expect(fetched).toHaveBeenCalledOnce()
  const [url, request] = fetched.mock.calls[0] ?? []
  expect([url, request?.method, request?.body]).toEqual([
    '/v1/feedback',
    'POST',
    JSON.stringify({ feedback: WORDS }),
  ])
  expect(thanked.mock.calls).toEqual([['Thanks for submitting your feedback!']])
  expect(comments().value).toBe('')
  screen.getByText('0/500 (min. 10)')
  expect(submit().disabled).toBe(true)
})

test('while feedback is on its way it is not sent again, and what is typed meanwhile stays', async () => {
  let answer = (_: Response) => {}
  fetched.mockImplementation(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  const { onSent } = show()
  type(WORDS)
  fireEvent.click(submit())
  await waitFor(() => expect(submit().getAttribute('aria-busy')).toBe('true'))
  fireEvent.submit(comments())
  type(`${WORDS} And one more thing.`)
  await waitFor(() => expect(fetched).toHaveBeenCalledOnce())
  answer(jsonAnswer(201, { ok: true }))
  await waitFor(() => expect(onSent).toHaveBeenCalledOnce())
  expect(fetched).toHaveBeenCalledOnce()
  expect(comments().value).toBe(`${WORDS} And one more thing.`)
})

test.each([
  ['with a message', () => jsonAnswer(429, { message: 'Too many requests.' }), 'Too many requests.'],
  ['without one', () => jsonAnswer(500, {}), 'Something went wrong, please try again.'],
  ['that is no JSON', () => new Response('<h1>'), 'Something went wrong, please try again.'],
])('a failure %s is shown, and the text stays', async (_, answer, sentence) => {
  fetched.mockImplementation(async () => answer())
  const { onSent } = show()
  type(WORDS)
  fireEvent.click(submit())
  await screen.findByText(sentence)
  expect(comments().value).toBe(WORDS)
  expect(submit().disabled).toBe(false)
  expect(onSent).not.toHaveBeenCalled()
  expect(thanked).not.toHaveBeenCalled()
})
