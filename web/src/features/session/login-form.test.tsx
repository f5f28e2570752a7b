import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BrowserRouter } from '../../lib/router.tsx'
import { jsonAnswer } from '../../lib/test-session.ts'
import { LoginForm } from './login-form.tsx'
import { isRememberedEmail, rememberEmail } from './remembered-email.ts'

const fetched = vi.fn<typeof fetch>()

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  fetched.mockReset()
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/login')
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function open(path = '/login', mailboxUrl: string | null = null): void {
  history.replaceState(null, '', path)
  render(
    <BrowserRouter>
      <LoginForm mailboxUrl={mailboxUrl} />
    </BrowserRouter>,
  )
}

const FAILURE = "It looks like that didn't work."
const continueButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Continue' })
const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

async function reachCodeStep(): Promise<void> {
  fetched.mockResolvedValueOnce(jsonAnswer(200, {}))
  type('E-mail', ' Maria@Example.com ')
  fireEvent.click(continueButton())
  await screen.findByLabelText('Code')
}

function sentTo(path: string): unknown {
  const request = fetched.mock.calls.find(([url]) => String(url).includes(path))?.[1]
  return JSON.parse(String(request?.body))
}

test('the length alone enables Continue', () => {
  open()
  type('E-mail', 'abcd')
  expect(continueButton().disabled).toBe(true)
  type('E-mail', 'abcde')
  expect(continueButton().disabled).toBe(false)
  expect(screen.getByLabelText('E-mail').closest('form')?.noValidate).toBe(true)
})

test('a code is asked for, the user is created if needed, and the code step appears', async () => {
  open('/login', 'http://localhost:3001/mail')
  await reachCodeStep()
  expect(sentTo('/auth/v1/otp')).toMatchObject({ email: 'Maria@Example.com', create_user: true })
  expect(screen.getByRole('link', { name: /mailbox/ }).getAttribute('href')).toBe(
    'http://localhost:3001/mail',
  )
  expect(isRememberedEmail('maria@example.com')).toBe(true)
})

test.each([400, 429, 500])('a send answered %i shows the one sentence', async (status) => {
  open()
  fetched.mockResolvedValueOnce(jsonAnswer(status, { code: 'x', message: 'Something else' }))
  type('E-mail', 'abcde')
  fireEvent.click(continueButton())
  await screen.findByText(FAILURE)
  expect(screen.queryByText('Something else')).toBeNull()
})

test('where no more mails are sent a code that went before is the way on, over a reload too', async () => {
  const wayOn = () => screen.queryByRole<HTMLAnchorElement>('link', { name: 'I have a code' })
  open()
  expect(wayOn()).toBeNull()
  fetched.mockResolvedValueOnce(jsonAnswer(500, { code: 'x', message: 'm' }))
  type('E-mail', ' Maria@Example.com ')
  fireEvent.click(continueButton())
  await screen.findByText(FAILURE)
  expect(wayOn()).toBeNull()
  expect(screen.queryByText(/a code was mailed/)).toBeNull()
  fetched.mockResolvedValueOnce(jsonAnswer(429, { code: 'over_email_send_rate_limit', message: 'm' }))
  fireEvent.click(continueButton())
  await screen.findByRole('link', { name: 'I have a code' })
  screen.getByText(FAILURE)
  screen.getByText('If a code was mailed to you not long ago, it still works.')
  fireEvent.click(wayOn() as HTMLAnchorElement)

  for (const reload of [false, true]) {
    if (reload) {
      cleanup()
      open()
    }
    const field = screen.getByLabelText<HTMLInputElement>('Code')
    expect(document.activeElement).toBe(field)
    expect(field.form?.textContent).toContain(
      'No more mails can be sent just now. Type the newest code that went to Maria@Example.com, or open the link beside it.',
    )
  }
  expect(fetched).toHaveBeenCalledTimes(2)
  fetched.mockResolvedValueOnce(jsonAnswer(403, { code: 'otp_expired', message: 'm' }))
  type('Code', '123456')
  fireEvent.click(continueButton())
  await screen.findByText(FAILURE)
  expect(sentTo('/auth/v1/verify')).toMatchObject({ email: 'Maria@Example.com', token: '123456' })
})

test('the code has no bound, spaces are dropped, and a refusal shows the one sentence', async () => {
  open()
  await reachCodeStep()
  const field = screen.getByLabelText<HTMLInputElement>('Code')
  expect([field.hasAttribute('maxlength'), field.hasAttribute('minlength'), field.required]).toEqual([
    false,
    false,
    false,
  ])
  expect(continueButton().disabled).toBe(false)
  fetched.mockResolvedValueOnce(jsonAnswer(403, { code: 'otp_expired', message: 'Something else' }))
  type('Code', ' 123 456 ')
  fireEvent.click(continueButton())
  await screen.findByText(FAILURE)
  expect(sentTo('/auth/v1/verify')).toMatchObject({
    email: 'Maria@Example.com',
    token: '123456',
    type: 'email',
  })
})

const BACK = 'Mails to this address come back. Is it spelled right?'
const cameBack = () => jsonAnswer(422, { code: 'email_address_invalid', message: BACK })

test('where mails to the address come back the e-mail step shows that below the one sentence, with the ways on', async () => {
  open()
  fetched.mockResolvedValueOnce(cameBack())
  type('E-mail', 'maria@exmaple.com')
  fireEvent.click(continueButton())
  await screen.findByText(BACK)
  const field = screen.getByLabelText<HTMLInputElement>('E-mail')
  const below = field.getAttribute('aria-describedby')?.split(' ') ?? []
  expect(below.map((id) => document.getElementById(id)?.textContent)).toEqual([FAILURE, BACK])
  fireEvent.click(screen.getByRole('button', { name: 'Use a different e-mail' }))
  expect([field.value, document.activeElement === field]).toEqual(['', true])
  expect([screen.queryByText(FAILURE), screen.queryByText(BACK)]).toEqual([null, null])

  fetched.mockResolvedValueOnce(cameBack())
  type('E-mail', 'maria@exmaple.com')
  fireEvent.click(continueButton())
  fireEvent.click(await screen.findByRole('link', { name: 'I have a code' }))
  expect(screen.getByLabelText<HTMLInputElement>('Code').form?.textContent).toContain(
    'We sent a code to maria@exmaple.com.',
  )
  screen.getByText(BACK)
})

test('another fault of an address is shown below the one sentence, and a stranger’s words are not', async () => {
  open()
  const plain = 'Mails can go only to an address with plain letters, without accents, before the @.'
  for (const [message, shown] of [
    [plain, true],
    ['Something else', false],
  ] as const) {
    fetched.mockResolvedValueOnce(jsonAnswer(422, { code: 'email_address_invalid', message }))
    type('E-mail', 'jörg@example.com')
    fireEvent.click(continueButton())
    await screen.findByText(FAILURE)
    await vi.waitFor(() => expect(screen.queryByText(message) !== null).toBe(shown))
    expect(screen.queryByRole('link', { name: 'I have a code' })).toBeNull()
  }
})

test('the code step learns that the mail came back, over a reload too, and that a later one did not', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  let returned = false
  const asked: unknown[] = []
  fetched.mockImplementation(async (url, init) => {
    if (!String(url).includes('/returned')) return jsonAnswer(200, {})
    asked.push(JSON.parse(String(init?.body)))
    return jsonAnswer(200, { returned })
  })
  const pass = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1000))
  open()
  type('E-mail', '<maria@exmaple.com>')
  fireEvent.click(continueButton())
  await pass(0)
  await vi.waitFor(() => screen.getByLabelText('Code'))
  await pass(5)
  const { code_challenge } = sentTo('/auth/v1/otp') as { code_challenge: string }
  expect(asked).toEqual([{ email: 'maria@exmaple.com', code_challenge }])
  expect(screen.queryByText(BACK)).toBeNull()
  returned = true
  await pass(10)
  screen.getByText(FAILURE)
  screen.getByText(BACK)
  screen.getByRole('button', { name: 'Use a different e-mail' })

  cleanup()
  open()
  screen.getByText(BACK)
  returned = false
  await pass(30)
  expect([screen.queryByText(FAILURE), screen.queryByText(BACK)]).toEqual([null, null])
  await pass(600)
  // The page asks at 5, 15, 45, 120 and 300 seconds, and once when it was loaded again.
  expect(asked).toHaveLength(6)

  fetched.mockImplementation(async () => cameBack())
  fireEvent.click(screen.getByRole('button', { name: 'Send again' }))
  await pass(0)
  await vi.waitFor(() => screen.getByText(BACK))
  screen.getByText(FAILURE)
  screen.getByRole('button', { name: 'Send again in 60 s' })
})

test('the fields show what was understood, and a pasted sentence is its code', async () => {
  open()
  fetched.mockResolvedValueOnce(jsonAnswer(500, { code: 'x', message: 'm' }))
  type('E-mail', 'Maria <mailto:Maria@Example.com>,')
  fireEvent.click(continueButton())
  await screen.findByText(FAILURE)
  const email = screen.getByLabelText<HTMLInputElement>('E-mail')
  expect(email.value).toBe('Maria@Example.com')
  fetched.mockResolvedValueOnce(jsonAnswer(200, {}))
  fireEvent.click(continueButton())
  const code = await screen.findByLabelText<HTMLInputElement>('Code')
  type('Code', 'Your code is 123 456.')
  expect(code.value).toBe('123456')
  // A composition is left alone until it ends.
  const typing = new InputEvent('input', { bubbles: true, isComposing: true })
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(code, '６５４３２１')
  fireEvent(code, typing)
  expect(code.value).toBe('６５４３２１')
  fetched.mockResolvedValueOnce(jsonAnswer(403, { code: 'otp_expired', message: 'm' }))
  fireEvent.click(continueButton())
  await screen.findByText(FAILURE)
  expect(code.value).toBe('654321')
  expect(sentTo('/auth/v1/verify')).toMatchObject({ email: 'Maria@Example.com', token: '654321' })
})

test('there is a way back to another address', async () => {
  open()
  await reachCodeStep()
  fireEvent.click(screen.getByRole('button', { name: 'Use a different e-mail' }))
  expect(screen.getByLabelText<HTMLInputElement>('E-mail').value).toBe('Maria@Example.com')
})

test('the code step outlives a reload as long as its code, and counts on from the sending', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  const again = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Send again/ })
  const reload = () => {
    cleanup()
    open()
  }
  open()
  await reachCodeStep()
  const sentAt = Date.now()
  vi.setSystemTime(sentAt + 20_400)
  reload()
  expect(screen.getByText('Maria@Example.com')).toBeDefined()
  expect(document.activeElement).toBe(screen.getByLabelText('Code'))
  expect(again().textContent).toBe('Send again in 40 s')
  act(() => void vi.advanceTimersByTime(39_000))
  expect([again().textContent, again().disabled]).toEqual(['Send again in 1 s', true])
  act(() => void vi.advanceTimersByTime(1000))
  expect([again().textContent, again().disabled]).toEqual(['Send again', false])

  // For another code, the count and the lifetime start again.
  vi.setSystemTime(sentAt + 540_000)
  fetched.mockResolvedValueOnce(jsonAnswer(200, {}))
  await act(async () => again().click())
  await screen.findByText('Send again in 60 s')
  vi.setSystemTime(sentAt + 540_000 + 599_000)
  reload()
  expect(again().disabled).toBe(false)
  vi.setSystemTime(sentAt + 540_000 + 600_000)
  reload()
  expect(screen.getByLabelText<HTMLInputElement>('E-mail').value).toBe('')
  expect(sessionStorage.length).toBe(0)
})

test('the way back to another address outlives a reload too', async () => {
  open()
  await reachCodeStep()
  fireEvent.click(screen.getByRole('button', { name: 'Use a different e-mail' }))
  cleanup()
  open()
  expect(screen.getByLabelText<HTMLInputElement>('E-mail').value).toBe('')
})

test('in another browser a link shows its address and uses nothing up', async () => {
  fetched.mockResolvedValueOnce(jsonAnswer(200, { email: 'maria@example.com' }))
  open('/login#token_hash=abc&type=email')
  await screen.findByText('maria@example.com')
  expect(fetched).toHaveBeenCalledTimes(1)
  expect(sentTo('/auth/v1/link')).toEqual({ token_hash: 'abc' })
  fetched.mockResolvedValue(jsonAnswer(403, { code: 'otp_expired', message: 'm' }))
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await screen.findByText(/expired or was already used/)
  expect(sentTo('/auth/v1/verify')).toMatchObject({ token_hash: 'abc', type: 'email' })
  expect(location.hash).toBe('')
})

test('in the browser that asked, a link signs in automatically', async () => {
  rememberEmail('Maria@example.com')
  fetched.mockImplementation(async (url) =>
    String(url).includes('/link')
      ? jsonAnswer(200, { email: 'maria@example.com' })
      : jsonAnswer(500, { code: 'x', message: 'm' }),
  )
  open('/login#token_hash=abc&type=email')
  await screen.findByText(FAILURE)
  expect(sentTo('/auth/v1/verify')).toMatchObject({ token_hash: 'abc', type: 'email' })
})

test('a dead link leads to the e-mail step with a sentence; no network offers another try', async () => {
  fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  open('/login#token_hash=abc&type=email')
  fetched.mockResolvedValueOnce(jsonAnswer(403, { code: 'otp_expired', message: 'm' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }))
  await screen.findByText(/expired or was already used/)
  expect(screen.getByLabelText('E-mail')).toBeDefined()
})
