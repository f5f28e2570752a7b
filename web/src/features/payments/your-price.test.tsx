import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { OwnPrices } from '@tradepost/contract/subscription-price'
import { afterEach, expect, test, vi } from 'vitest'
import { claimDrafts, discardDrafts } from '../../lib/drafts.ts'
import { toast } from '../../ui/toast.ts'
import { button, press, renderOver, type TestApi } from './test-provider.tsx'
import { YourPrice } from './your-price.tsx'

const READ = 'GET /v1/accounts/prices'
const SET = 'POST /v1/accounts/prices'
const toasts = vi.spyOn(toast, 'success')
const prices: OwnPrices = {
  currency: 'usd',
  monthlyCents: 1250,
  yearlyCents: 12_500,
  isDefault: false,
  minCents: 300,
  maxCents: 50_000,
}

afterEach(() => {
  cleanup()
  discardDrafts()
  vi.unstubAllGlobals()
  toasts.mockClear()
})

function show(named: Partial<OwnPrices> = {}, more: TestApi = {}) {
  const api: TestApi = { [READ]: { body: { ...prices, ...named } }, ...more }
  return { ...renderOver(api, <YourPrice />), api }
}

const field = (name: RegExp) => screen.findByRole<HTMLInputElement>('textbox', { name })
const MONTH = /^A month, in USD$/
const YEAR = /^A year, in USD$/
/** The texts that a screen reader says of a field, after its name. */
const said = (input: HTMLInputElement) =>
  (input.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .filter((text) => text !== '')

async function type(name: RegExp, text: string): Promise<HTMLInputElement> {
  const input = await field(name)
  fireEvent.change(input, { target: { value: text } })
  return input
}

test('the fields hold the present prices, with the bounds, what the year saves and what is left after the fee', async () => {
  show()
  const month = await field(MONTH)
  expect(month.value).toBe('12.50')
  expect(month.inputMode).toBe('decimal')
  expect(said(month)).toEqual(['From $3.00 to $500.00.'])
  const year = await field(YEAR)
  expect({ value: year.value, placeholder: year.placeholder }).toEqual({ value: '', placeholder: '125.00' })
  expect(said(year)).toEqual([
    'From $12.50 to $150.00. Left empty, it is $125.00 and saves 16 % against twelve months.',
  ])
  screen.getByText('You get $11.25 of each month, and $112.50 of each year. Tradepost keeps 10 %.')
  screen.getByText(
    'It counts for new followers. People who follow you already get a lower price with their next renewal, and a higher one only if they agree.',
  )
  expect(screen.queryByText(/Until you name a price/)).toBeNull()
  expect(button('Save price').disabled).toBe(true)
  screen.getByText('Change a price first.')
})

test('the year that is not named follows the month as one types, and a named one says what it saves', async () => {
  show()
  await type(MONTH, '20')
  const year = await field(YEAR)
  expect(year.placeholder).toBe('200.00')
  expect(said(year)).toEqual([
    'From $20.00 to $240.00. Left empty, it is $200.00 and saves 16 % against twelve months.',
  ])
  await type(YEAR, '180')
  expect(said(year)).toEqual(['From $20.00 to $240.00. This saves 25 % against twelve months.'])
  await type(YEAR, '240')
  expect(said(year)).toEqual(['From $20.00 to $240.00. This saves nothing against twelve months.'])
  await type(MONTH, 'x')
  expect({ placeholder: year.placeholder, said: said(year) }).toEqual({
    placeholder: '',
    said: ['Left empty, it is the price of ten months.'],
  })
  screen.getByText('Tradepost keeps 10 % of each payment; the rest is yours.')
})

test('without a named price the product’s holds, and it can be named as it is', async () => {
  const named = { monthlyCents: 1000, yearlyCents: null, isDefault: true }
  const { calls } = show(named, { [SET]: { body: { ...prices, ...named, isDefault: false } } })
  screen.getByRole('status', { name: 'Loading your price' })
  await screen.findByText(
    'Until you name a price, a month costs $10.00, as with every trader who has named none.',
  )
  expect(screen.queryByRole('textbox', { name: YEAR })).toBeNull()
  press('Save price')
  await waitFor(() => expect(toasts.mock.calls).toEqual([['Your price is saved.']]))
  expect(calls.at(-1)).toBe(`${SET} {"monthly":"10.00","yearly":null,"currency":"usd"}`)
  expect(screen.queryByText(/Until you name a price/)).toBeNull()
  expect(button('Save price').disabled).toBe(true)
})

test('prices are sent as they are typed, and stand as they were understood', async () => {
  const answer = { ...prices, monthlyCents: 1500, yearlyCents: 16_000 }
  const { calls } = show({ yearlyCents: null }, { [SET]: { body: answer } })
  await type(MONTH, ' $15 ')
  fireEvent.click(screen.getByRole('switch', { name: 'Paid by the year too' }))
  await type(YEAR, '160')
  press('Save price')
  await waitFor(() => expect(toasts).toHaveBeenCalledOnce())
  expect(calls).toEqual([READ, `${SET} {"monthly":"$15","yearly":"160","currency":"usd"}`])
  expect((await field(MONTH)).value).toBe('15.00')
  expect((await field(YEAR)).value).toBe('160.00')
})

test.each([
  ['', 'Type an amount such as 12 or 12.50.'],
  ['0', 'Choose a price from $3.00 to $500.00 a month.'],
  ['-5', 'Type an amount such as 12 or 12.50.'],
  ['ten', 'Type an amount such as 12 or 12.50.'],
  ['12.505', 'Type an amount such as 12 or 12.50.'],
  ['2.99', 'Choose a price from $3.00 to $500.00 a month.'],
  ['500.01', 'Choose a price from $3.00 to $500.00 a month.'],
  ['€12', 'Prices are in USD here.'],
])('a month of “%s” is refused below its field once it is left, and never sent', async (text, sentence) => {
  const { calls } = show()
  const month = await type(MONTH, text)
  expect(month.getAttribute('aria-invalid')).toBeNull()
  fireEvent.blur(month)
  expect(month.getAttribute('aria-invalid')).toBe('true')
  expect(said(month)).toEqual([sentence, 'From $3.00 to $500.00.'])
  await type(MONTH, `${text}9`)
  expect(month.getAttribute('aria-invalid'), 'while it is typed in again').toBeNull()
  await type(MONTH, text)
  press('Save price')
  expect(said(month)).toEqual([sentence, 'From $3.00 to $500.00.'])
  expect(document.activeElement).toBe(month)
  expect(calls).toEqual([READ])
})

test('a year beyond its months is refused below its own field, and not where nobody can pay it', async () => {
  const { calls } = show({}, { [SET]: { body: { ...prices, yearlyCents: null } } })
  const year = await type(YEAR, '150.01')
  press('Save price')
  expect(said(year)[0]).toBe('Choose a price from $12.50 to $150.00 a year.')
  expect(document.activeElement).toBe(year)
  expect((await field(MONTH)).getAttribute('aria-invalid')).toBeNull()
  fireEvent.click(screen.getByRole('switch', { name: 'Paid by the year too' }))
  press('Save price')
  await waitFor(() => expect(toasts).toHaveBeenCalledOnce())
  expect(calls.at(-1)).toBe(`${SET} {"monthly":"12.50","yearly":null,"currency":"usd"}`)
})

test.each([
  ['price_currency', 'Prices are in EUR here.', MONTH],
  ['yearly_out_of_bounds', 'Choose a price from €1.00 to €2.00 a year.', YEAR],
])(
  'a refusal %s of the server stands below its field, and what was typed stays',
  async (code, message, of) => {
    const { api } = show({}, { [SET]: { status: 422, body: { code, message, requestId: 'x' } } })
    await type(MONTH, '14')
    await type(YEAR, '144')
    press('Save price')
    await screen.findByText(message)
    expect(said(await field(of))[0]).toBe(message)
    expect((await field(MONTH)).value).toBe('14')
    expect((await field(YEAR)).value).toBe('144')
    api[SET] = { body: { ...prices, monthlyCents: 1400, yearlyCents: 14_400 } }
    press('Save price')
    await waitFor(() => expect(toasts).toHaveBeenCalledOnce())
    expect(screen.queryByText(message)).toBeNull()
  },
)

test('a refusal that speaks of no field stands above Save, and what was typed survives a look elsewhere', async () => {
  const refused = { code: 'too_many_price_changes', message: 'Not today.', requestId: 'x' }
  claimDrafts('maria')
  show({}, { [SET]: { status: 429, body: refused } })
  await type(MONTH, '14')
  press('Save price')
  const reason = await screen.findByText('Not today.')
  expect(reason.compareDocumentPosition(button('Save price'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(reason.getAttribute('role')).toBe('alert')
  expect((await field(MONTH)).getAttribute('aria-invalid')).toBeNull()
  cleanup()
  show()
  expect((await field(MONTH)).value).toBe('14')
  fireEvent.change(await field(MONTH), { target: { value: '12.50' } })
  expect(button('Save price').disabled, 'as it is saved already').toBe(true)
})

test('prices that cannot be read are reported, and asked for again when wanted', async () => {
  const { api } = show({}, { [READ]: { status: 500, body: {} } })
  await screen.findByText(/Something went wrong, please try again\./)
  api[READ] = { body: prices }
  press('Try again')
  expect((await field(MONTH)).value).toBe('12.50')
})
