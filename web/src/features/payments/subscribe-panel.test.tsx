import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SubscribePanel } from './subscribe-panel.tsx'
import { button, comeBack, heldAnswer, isBusy, press, renderOver, type TestApi } from './test-provider.tsx'

const CUSTOMER = '/v1/accounts/customer'
const NEW = '/v1/subscriptions/new'
const CHECK = 'GET /v1/subscriptions/maria'
const ALREADY = 'You are already subscribed to this user.'
const PAGE = 'https://checkout.stripe.example/c/pay/1'
const offered = { isSelf: false, isSubscribed: false, canSubscribe: true, priceCents: 1000, currency: 'usd' }
const MONTH = '{"username":"maria","interval":"month","priceCents":1000}'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show(options: {
  api?: TestApi
  profile?: Partial<typeof offered> & { yearlyCents?: number }
  configured?: boolean
  at?: string
}) {
  const { configured = true, at = '/trader/maria/subscribe' } = options
  const api: TestApi = {
    [`GET ${CUSTOMER}`]: { body: { configured } },
    [CHECK]: { body: { subscribed: false, id: null, status: null } },
    [`POST ${CUSTOMER}`]: { body: { configured: true } },
    [`POST ${NEW}`]: { body: { url: PAGE } },
    ...options.api,
  }
  const onFailure = vi.fn()
  const profile = { ...offered, ...options.profile }
  const panel = <SubscribePanel username="maria" profile={profile} standing={null} onFailure={onFailure} />
  return { ...renderOver(api, panel, at), api, onFailure }
}

test('a person cannot subscribe to themselves, and nothing is asked', () => {
  const { calls } = show({ profile: { isSelf: true, canSubscribe: false } })
  screen.getByText('You cannot subscribe to your own account.')
  expect(screen.queryByRole('button')).toBeNull()
  expect(calls).toEqual([])
})

test.each([
  ['who is subscribed already reads so', { isSubscribed: true, canSubscribe: false }, 0],
  [
    'where subscribing is not possible the words are the same, with what else it can be',
    { canSubscribe: false },
    1,
  ],
])('%s', (_, profile, others) => {
  const { calls } = show({ profile })
  screen.getByText(ALREADY)
  const other = 'If you are not, @maria takes no new subscribers at the moment, and nothing has been charged.'
  expect(screen.queryAllByText(other)).toHaveLength(others)
  button('Go back')
  const wayOut = screen.queryAllByRole('link', { name: 'Cancel or unsubscribe' })
  expect(wayOut.map((link) => link.getAttribute('href'))).toEqual(
    others === 0 ? ['/account#subscriptions'] : [],
  )
  expect(calls).toEqual([])
})

test('a profile from before the subscription is corrected by the check', async () => {
  show({ api: { [CHECK]: { body: { subscribed: true, id: 'a', status: 'active' } } } })
  await screen.findByText(ALREADY)
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull()
})

test('Go back goes back where there is a page of ours, else to the profile', async () => {
  const back = vi.spyOn(history, 'back').mockReturnValue()
  const navigation = { canGoBack: true }
  vi.stubGlobal('navigation', navigation)
  show({ profile: { canSubscribe: false } })
  press('Go back')
  expect(back).toHaveBeenCalledOnce()
  navigation.canGoBack = false
  await act(async () => press('Go back'))
  expect(back).toHaveBeenCalledOnce()
  expect(document.location.pathname).toBe('/trader/maria')
})

test('Continue starts the checkout of this trader, once, and goes there', async () => {
  const { calls, left } = show({})
  const go = await screen.findByRole('button', { name: 'Continue' })
  screen.getByText((_, element) => element?.tagName === 'P' && element.textContent === '$10.00 a month')
  fireEvent.click(go)
  fireEvent.click(go)
  await waitFor(() => expect(left).toEqual([PAGE]))
  press('Continue')
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([`POST ${NEW} ${MONTH}`])
  expect(isBusy('Continue')).toBe(true)
  expect(left).toEqual([PAGE])
})

test('a trial is said before the button, which begins it; a refusal of it asks again for what there is', async () => {
  const trial = { subscribed: false, id: null, status: null, trialDays: 7 }
  const refusal = {
    status: 409,
    body: { code: 'trial_not_offered', message: 'There is no trial for you here.' },
  }
  const { calls } = show({ api: { [CHECK]: { body: trial }, [`POST ${NEW}`]: refusal } })
  const said = await screen.findByText('7 days free')
  expect(said.closest('p')?.textContent).toMatch(
    /^7 days free, then \$10 a month from .+, until you cancel\. To end it before, choose End trial /,
  )
  expect(said.compareDocumentPosition(button('Continue'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  press('Continue')
  await screen.findByText('There is no trial for you here.')
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([
    `POST ${NEW} {"username":"maria","interval":"month","priceCents":1000,"trialDays":7}`,
  ])
  await waitFor(() => expect(calls.filter((call) => call === CHECK)).toHaveLength(2))
})

test('without billing it is set up first, then the checkout is started', async () => {
  const { calls, left } = show({ configured: false })
  fireEvent.click(await screen.findByRole('button', { name: 'Continue on Stripe' }))
  await waitFor(() => expect(left).toEqual([PAGE]))
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([
    `POST ${CUSTOMER}`,
    `POST ${NEW} ${MONTH}`,
  ])
})

const option = (name: RegExp) => screen.getByRole<HTMLInputElement>('radio', { name })
/** The text that is read with the button. */
const described = (name: string) =>
  document.getElementById(button(name).getAttribute('aria-describedby') ?? '')?.textContent
const RENEWS = (every: string) =>
  `You pay by card at Stripe, where you agree to the terms. It renews each ${every}, on the day of the first payment, until you cancel.`
/** The conditions before the button, name by name. */
const conditions = () =>
  screen.getAllByRole('term').map((name) => `${name.textContent}: ${name.nextElementSibling?.textContent}`)

test('where a year is offered one chooses, the month first, and pays what was chosen at the price that is shown', async () => {
  const { calls, left } = show({ profile: { priceCents: 1250, yearlyCents: 12_500 } })
  await screen.findByRole('group', { name: 'How often you pay' })
  expect(screen.getAllByRole('radio')).toHaveLength(2)
  expect(option(/^\$12\.50\s*a month$/).checked).toBe(true)
  expect(described('Continue')).toBe(RENEWS('month'))
  expect(screen.getByRole('link', { name: 'terms' }).getAttribute('href')).toBe('/terms')
  fireEvent.click(option(/^\$125\.00\s*a year\s*Saves \$25\.00, 16 %$/))
  expect(option(/a month/).checked).toBe(false)
  expect(described('Continue')).toBe(RENEWS('year'))
  press('Continue')
  await waitFor(() => expect(left).toEqual([PAGE]))
  expect(calls.at(-1)).toBe(`POST ${NEW} {"username":"maria","interval":"year","priceCents":12500}`)
})

const ALWAYS = [
  'To end it: In Account > Subscriptions, at any time. You have access to the end of what you paid for.',
  'To withdraw: For 14 days from your first payment you can withdraw: your access ends at once, and you get back the part for the days that are left, or everything if the trader has published nothing since.',
  'If @maria stops: Nothing is charged while this trader cannot be paid or is suspended. After 30 days, or once the account is closed, it ends, and you get the unused part back.',
  'Risk: You can lose money: past gains promise nothing, and nothing here is investment advice.',
]

describe('before the button stand the price, the next renewal, both ends and the risk', () => {
  beforeEach(() => vi.useFakeTimers({ now: new Date('2026-01-31T12:00:00.000Z'), toFake: ['Date'] }))
  afterEach(() => vi.useRealTimers())

  test('of a month and of a year', async () => {
    show({ profile: { priceCents: 1250, yearlyCents: 12_500 } })
    await screen.findByRole('button', { name: 'Continue' })
    expect(conditions()).toEqual(['Today: $12.50', 'Renews: $12.50 on Feb 28, 2026', ...ALWAYS])
    fireEvent.click(option(/a year/))
    expect(conditions()).toEqual(['Today: $125.00', 'Renews: $125.00 on Jan 31, 2027', ...ALWAYS])
    const [first] = screen.getAllByRole('term')
    expect(first?.compareDocumentPosition(button('Continue'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  })

  test('of free days', async () => {
    show({ api: { [CHECK]: { body: { subscribed: false, id: null, status: null, trialDays: 7 } } } })
    await screen.findByText('7 days free')
    expect(conditions()).toEqual([
      'First payment: $10.00 on Feb 7, 2026',
      'Renews: $10.00 on Mar 7, 2026',
      ...ALWAYS,
    ])
  })

  test.each([
    ['for the first month', 1, '$10.00'],
    ['for three months', 3, '$7.50'],
    ['always', null, '$7.50'],
  ])('of a code that counts %s', async (_, months, renews) => {
    const found = { code: 'SPRING', percentOff: 25, amountOffCents: null, months, currency: 'usd' }
    const prices = { priceCents: 1000, discountedCents: 750 }
    show({
      api: { 'GET /v1/traders/maria/discounts/SPRING': { body: { ...found, ...prices } } },
      at: '/trader/maria/subscribe?discount=SPRING',
    })
    await screen.findByText('SPRING')
    expect(conditions()).toEqual(['Today: $7.50', `Renews: ${renews} on Feb 28, 2026`, ...ALWAYS])
  })

  test('where no price is known, without the two', async () => {
    show({ profile: { priceCents: undefined } as unknown as Partial<typeof offered> })
    await screen.findByRole('button', { name: 'Continue' })
    expect(conditions()).toEqual(ALWAYS)
  })
})

test('a year that saves nothing says nothing of it, and where none is offered there is no choice', async () => {
  show({ profile: { yearlyCents: 12_000 } })
  await screen.findByRole('group', { name: 'How often you pay' })
  expect(screen.queryByText(/Saves/)).toBeNull()
  cleanup()
  show({})
  await screen.findByRole('button', { name: 'Continue' })
  expect(screen.queryByRole('radio')).toBeNull()
})

test('a profile without a price shows none, and names none to the checkout', async () => {
  const none = { priceCents: undefined, currency: undefined } as unknown as Partial<typeof offered>
  const { calls } = show({ profile: none })
  fireEvent.click(await screen.findByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(calls.at(-1)).toBe(`POST ${NEW} {"username":"maria"}`))
  expect(screen.queryByText(/a month/)).toBeNull()
})

test.each([
  [`POST ${CUSTOMER}`, { status: 502, body: { message: 'X' } }, 'X', 1],
  [`POST ${NEW}`, { status: 409, body: { message: 'Y' } }, 'Y', 2],
  [`POST ${NEW}`, { status: 503, body: {} }, 'Something went wrong, please try again.', 2],
  [`POST ${NEW}`, { body: { url: 'javascript:1' } }, 'Something went wrong, please try again.', 2],
])('when %s answers %j the reason appears above the button, which works again', async (...row) => {
  const [failing, answer, sentence, posts] = row
  const { calls, left, onFailure } = show({ configured: false, api: { [failing]: answer } })
  fireEvent.click(await screen.findByRole('button', { name: 'Continue on Stripe' }))
  const reason = await screen.findByText(sentence)
  expect(reason.compareDocumentPosition(button('Continue on Stripe'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(reason.closest('[role=alert]')).not.toBeNull()
  expect(calls.filter((call) => call.startsWith('POST'))).toHaveLength(posts)
  expect(isBusy('Continue on Stripe')).toBe(false)
  expect(left).toEqual([])
  expect(onFailure).toHaveBeenCalledOnce()
})

test('after a return from the back/forward cache the button is idle, and what was loaded is fetched again', async () => {
  const { calls, left } = show({})
  fireEvent.click(await screen.findByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(left).toHaveLength(1))
  act(comeBack)
  await waitFor(() => expect(isBusy('Continue')).toBe(false))
  await waitFor(() => expect(calls.filter((call) => call === CHECK)).toHaveLength(2))
  press('Continue')
  await waitFor(() => expect(left).toHaveLength(2))
})

test('a person who goes to another screen while the checkout is being made stays there', async () => {
  const { answer, release } = heldAnswer({ body: { url: PAGE } })
  const { calls, left } = show({ api: { [`POST ${NEW}`]: answer } })
  fireEvent.click(await screen.findByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(calls.at(-1)).toContain(NEW))
  cleanup()
  await act(async () => release())
  expect(left).toEqual([])
})

test('a checkout that was canceled is reported quietly, and the address forgets it', async () => {
  show({ at: '/trader/maria/subscribe?canceled=1' })
  const note = await screen.findByText('The checkout was canceled. Nothing has been charged.')
  expect(note.getAttribute('role')).toBe('status')
  expect(document.location.search).toBe('')
  cleanup()
  show({})
  await screen.findByRole('button', { name: 'Continue' })
  expect(screen.queryByText(/canceled/)).toBeNull()
})

test('billing that cannot be read is reported, and asked for again when wanted', async () => {
  const { api } = show({ api: { [`GET ${CUSTOMER}`]: { status: 503, body: { message: 'Later.' } } } })
  await screen.findByText('Later.')
  api[`GET ${CUSTOMER}`] = { body: { configured: false } }
  press('Try again')
  await screen.findByRole('button', { name: 'Continue on Stripe' })
})

test('a check that fails keeps nobody from subscribing', async () => {
  show({ api: { [CHECK]: { status: 500, body: {} } } })
  await screen.findByRole('button', { name: 'Continue' })
})
