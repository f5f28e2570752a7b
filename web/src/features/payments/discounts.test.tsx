import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { claimDrafts, discardDrafts } from '../../lib/drafts.ts'
import { DiscountCodes } from './discount-codes.tsx'
import { SubscribePanel } from './subscribe-panel.tsx'
import { heldAnswer, press, renderOver, type TestApi } from './test-provider.tsx'

const CODES = '/v1/accounts/discount-codes'
const SPRING = { code: 'SPRING', percentOff: 20, amountOffCents: null, currency: 'usd', months: 1 }
const OWN = { ...SPRING, id: 'one', uses: 3, maxUses: 50, lastDay: '2026-12-31' }
const PRICES = {
  ...{ currency: 'usd', monthlyCents: 1000, yearlyCents: 10_000, isDefault: false },
  ...{ minCents: 300, maxCents: 50_000 },
}
const PANEL: TestApi = {
  'GET /v1/accounts/customer': { body: { configured: true } },
  'GET /v1/subscriptions/maria': { body: { subscribed: false, id: null, status: null } },
  'POST /v1/subscriptions/new': { body: { url: 'https://checkout.stripe.example/c/pay/1' } },
}
const offered = {
  ...{ isSelf: false, isSubscribed: false, canSubscribe: true },
  ...{ priceCents: 1000, yearlyCents: 10_000, currency: 'usd' },
}

afterEach(() => {
  cleanup()
  discardDrafts()
  vi.unstubAllGlobals()
})

function showPanel(discount: TestApi[string]) {
  const api = { ...PANEL, 'GET /v1/traders/maria/discounts/spring': discount }
  const panel = (
    <SubscribePanel username="maria" profile={offered} standing={null} onFailure={() => undefined} />
  )
  return renderOver(api, panel, '/trader/maria/subscribe?discount=spring')
}

test('a code in the address says what one pays, and the checkout begins with it', async () => {
  const { calls } = showPanel({ body: { ...SPRING, discountedCents: 800, priceCents: 1000 } })
  await screen.findByText(
    ': 20 % off the first month. You pay $8.00 for the first month. Then $10.00 a month.',
  )
  await press('Continue')
  await waitFor(() =>
    expect(calls).toContainEqual(
      expect.stringContaining('"interval":"month","discountCode":"SPRING","priceCents":1000}'),
    ),
  )
})

test('the checkout waits until a code is looked up, and one that could not be is looked up again', async () => {
  const held = heldAnswer({ body: { ...SPRING, discountedCents: 800, priceCents: 1000 } })
  const { calls } = showPanel(held.answer)
  const go = await screen.findByRole('button', { name: 'Continue' })
  fireEvent.click(go)
  held.release()
  await screen.findByText(/You pay \$8\.00/)
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([])
  cleanup()
  const later = { status: 503, body: { ...SPRING, discountedCents: 800, priceCents: 1000 } }
  showPanel(later)
  const again = await screen.findByRole('button', { name: 'Try again' })
  later.status = 200
  fireEvent.click(again)
  await screen.findByText(/You pay \$8\.00/)
})

test('behind the free days stands the price with the code', async () => {
  const api = {
    ...PANEL,
    'GET /v1/subscriptions/maria': { body: { subscribed: false, id: null, status: null, trialDays: 7 } },
    'GET /v1/traders/maria/discounts/spring': { body: { ...SPRING, discountedCents: 800, priceCents: 1000 } },
  }
  const panel = (
    <SubscribePanel username="maria" profile={offered} standing={null} onFailure={() => undefined} />
  )
  const { calls } = renderOver(api, panel, '/trader/maria/subscribe?discount=spring')
  await screen.findByText(/^, then \$8\.00 for the first month from .*, then \$10 a month,/)
  press('Continue')
  await waitFor(() =>
    expect(calls).toContainEqual(
      expect.stringContaining('"discountCode":"SPRING","priceCents":1000,"trialDays":7}'),
    ),
  )
})

test('a year that is chosen has no discount, and says so', async () => {
  const { calls } = showPanel({ body: { ...SPRING, discountedCents: 800, priceCents: 1000 } })
  fireEvent.click(await screen.findByRole('radio', { name: /a year/ }))
  await screen.findByText('takes something off a month’s price, not off a year’s.')
  await press('Continue')
  await waitFor(() =>
    expect(calls).toContainEqual(expect.stringContaining('"interval":"year","priceCents":10000}')),
  )
})

test('a code that is not valid is named with the reason, and one can follow without it', async () => {
  const refused = { code: 'discount_code_not_found', message: 'That code is not valid here.' }
  const { calls } = showPanel({ status: 404, body: refused })
  await screen.findByText(': That code is not valid here.')
  await press('Continue')
  await waitFor(() =>
    expect(calls).toContainEqual(expect.stringContaining('"interval":"month","priceCents":1000}')),
  )
})

function showCodes(api: TestApi = {}) {
  const all = {
    'GET /v1/accounts/prices': { body: PRICES },
    [`GET ${CODES}`]: { body: { codes: [OWN] } },
    ...api,
  }
  return renderOver(all, <DiscountCodes username="maria" />, '/account')
}

test('a code is listed with what it does, and is ended by one press', async () => {
  const { calls } = showCodes({ [`POST ${CODES}/one/end`]: { body: { codes: [] } } })
  await screen.findByText('20 % off the first month · 3 of 50 used · until 2026-12-31 (UTC)')
  fireEvent.click(screen.getByRole('button', { name: 'End' }))
  await waitFor(() => expect(screen.queryByText('SPRING')).toBeNull())
  expect(calls).toContainEqual(expect.stringContaining(`${CODES}/one/end`))
  expect(document.activeElement?.textContent).toBe('Discount codes')
})

test('a new code says what a month costs with it, and a fault stands at its field', async () => {
  const added = { ...OWN, id: 'two', code: 'AUTUMN', uses: 0 }
  const { calls } = showCodes({ [`POST ${CODES}`]: { body: { codes: [added, OWN] } } })
  fireEvent.click(await screen.findByRole('button', { name: 'Add a code' }))
  const type = (name: RegExp, text: string) =>
    fireEvent.change(screen.getByLabelText(name), { target: { value: text } })
  type(/^Code/, 'autumn')
  type(/^Discount,/, '95 %')
  fireEvent.click(screen.getByRole('button', { name: 'Add' }))
  expect(screen.getByLabelText(/^Discount,/).getAttribute('aria-invalid')).toBe('true')
  screen.getByText('Type a discount such as 20 %, at most 90 %, or 5.00.')
  type(/^Discount,/, '2.50')
  screen.getByText('A month costs $7.50 in place of $10.00.')
  fireEvent.click(screen.getByRole('button', { name: 'Add' }))
  await screen.findByText('AUTUMN')
  expect(calls).toContainEqual(
    expect.stringContaining(
      '{"code":"autumn","off":"2.50","months":1,"maxUses":null,"lastDay":null,"currency":"usd"}',
    ),
  )
})

test('a half-typed code waits through a look elsewhere, until it is added or left', async () => {
  claimDrafts('maria')
  const added = { ...OWN, id: 'two', code: 'AUTUMN', uses: 0 }
  const look = async () => {
    cleanup()
    showCodes({ [`POST ${CODES}`]: { body: { codes: [added, OWN] } } })
    fireEvent.click(await screen.findByRole('button', { name: 'Add a code' }))
    return screen.getByLabelText<HTMLInputElement>(/^Code/)
  }
  fireEvent.change(await look(), { target: { value: 'autumn' } })
  expect((await look()).value).toBe('autumn')
  fireEvent.click(screen.getByRole('button', { name: 'Leave it' }))
  expect((await look()).value).toBe('')
  fireEvent.change(screen.getByLabelText(/^Code/), { target: { value: 'autumn' } })
  fireEvent.change(screen.getByLabelText(/^Discount,/), { target: { value: '2.50' } })
  fireEvent.click(screen.getByRole('button', { name: 'Add' }))
  await screen.findByText('AUTUMN')
  expect((await look()).value).toBe('')
})

test('a refusal of the server stands at its field, and nothing typed is lost', async () => {
  const taken = { code: 'discount_code_taken', message: 'You have a code of that name already.' }
  showCodes({ [`POST ${CODES}`]: { status: 409, body: taken } })
  fireEvent.click(await screen.findByRole('button', { name: 'Add a code' }))
  fireEvent.change(screen.getByLabelText(/^Code/), { target: { value: 'spring' } })
  fireEvent.change(screen.getByLabelText(/^Discount,/), { target: { value: '20 %' } })
  fireEvent.click(screen.getByRole('button', { name: 'Add' }))
  const sentence = await screen.findByText('You have a code of that name already.')
  expect(screen.getByLabelText(/^Code/).getAttribute('aria-describedby')).toBe(sentence.id)
  expect(screen.getByLabelText(/^Code/)).toHaveProperty('value', 'spring')
  expect(within(document.body).getByLabelText(/^Discount,/)).toHaveProperty('value', '20 %')
})

test('a code that is on its way can be neither changed nor left, and the focus goes on where it is added', async () => {
  const added = { ...OWN, id: 'two', code: 'AUTUMN', uses: 0 }
  const held = heldAnswer({ body: { codes: [added, OWN] } })
  showCodes({ [`POST ${CODES}`]: held.answer })
  fireEvent.click(await screen.findByRole('button', { name: 'Add a code' }))
  const code = screen.getByLabelText<HTMLInputElement>(/^Code/)
  expect(document.activeElement).toBe(code)
  fireEvent.change(code, { target: { value: 'autumn' } })
  fireEvent.change(screen.getByLabelText(/^Discount,/), { target: { value: '2.50' } })
  fireEvent.click(screen.getByRole('button', { name: 'Add' }))
  const leave = screen.getByRole<HTMLButtonElement>('button', { name: 'Leave it' })
  await waitFor(() => expect(leave.disabled).toBe(true))
  fireEvent.change(code, { target: { value: 'winter' } })
  expect(code.value).toBe('autumn')
  held.release()
  await screen.findByText('AUTUMN')
  expect(screen.queryByRole('button', { name: 'Add' })).toBeNull()
  expect(document.activeElement?.textContent).toBe('Discount codes')
})

test('while a code in the address is looked up its line has its place', async () => {
  const held = heldAnswer({ body: { ...SPRING, discountedCents: 800, priceCents: 1000 } })
  showPanel(held.answer)
  const line = await screen.findByText('spring')
  const place = line.parentElement?.className
  expect(place).toContain('min-h')
  held.release()
  const answered = await screen.findByText('SPRING')
  expect(answered.parentElement?.className).toBe(place)
})
