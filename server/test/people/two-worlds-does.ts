import type { Endpoint } from '@tradepost/contract/endpoint'
import { endpoints } from '@tradepost/contract/endpoints'
import { bearer, tokenOf } from '../sign-in/sign-in.ts'
import { makeBrowser } from './two-people-things.ts'
import { act, checkIn, HELD, type World } from './two-worlds.ts'
import { type Known, type Look, lookAt, type Reading } from './two-worlds-looks.ts'

type Doing = Exclude<keyof typeof endpoints, Reading | 'feed'>
type Sent = { id?: string; body?: object }

const nothing = (): Sent => ({})
const subscriptionWith =
  (body?: object) =>
  async ({ stranger, testApp }: World): Promise<Sent> => {
    const { rows } = await testApp.pool.query<{ id: string }>(
      'select id from subscriptions where subscriber_id = $1',
      [stranger.userId],
    )
    return { id: rows[0]?.id ?? '', ...(body && { body }) }
  }
const [HELD_A = '', HELD_B = ''] = HELD

/** The requests that a stranger sends to each call that does something. A new call has its line here, or nothing compiles. */
const DONE: Readonly<Record<Doing, (world: World) => Promise<Sent> | Sent>> = {
  setUsername: () => ({ body: { username: 'another-name' } }),
  switchPublicPage: () => ({ body: { enabled: true } }),
  setAbout: () => ({ body: { about: 'Other words.' } }),
  showFollowers: () => ({ body: { shown: true } }),
  setUpCustomer: nothing,
  customerSession: nothing,
  startOnboarding: nothing,
  payoutDashboard: nothing,
  addDiscountCode: () => ({
    body: { code: 'AUTUMN', off: '10 %', months: 1, maxUses: 5, lastDay: null, currency: 'usd' },
  }),
  endDiscountCode: () => ({ id: '0199c000-0000-7000-8000-000000000001' }),
  setPrices: () => ({ body: { monthly: '17', yearly: null, currency: 'usd' } }),
  newSubscription: () => ({ body: { username: 'anton' } }),
  manageSubscription: subscriptionWith(),
  openInvoice: () => ({ id: 'in_1' }),
  switchRenewalMail: () => ({ body: { enabled: false } }),
  endTrial: subscriptionWith(),
  cancelSubscription: subscriptionWith(),
  keepSubscription: subscriptionWith(),
  withdraw: subscriptionWith({}),
  switchSubscriptionMail: subscriptionWith({ enabled: true }),
  agreeToPrice: subscriptionWith({ priceCents: 1000 }),
  switchPositionMails: () => ({ body: { enabled: true } }),
  switchSubscriptionPush: subscriptionWith({ enabled: true }),
  makeRecoveryCodes: nothing,
  closeAccount: () => ({ body: { confirm: true } }),
  requestExport: nothing,
  endSession: () => ({ id: '0199c000-0000-7000-8000-000000000001' }),
  preview: () => ({ body: { symbol: HELD_B } }),
  openPosition: async (world) => ({
    body: {
      symbol: HELD_A,
      key: await checkIn(world, world.stranger, HELD_A),
      openNotes: 'One that is open already.',
      positionLength: 'one_to_three_weeks',
    },
  }),
  closePosition: async (world) => ({
    body: {
      symbol: HELD_A,
      key: await checkIn(world, world.stranger, HELD_A),
      closeNotes: 'It has done what it was to do.',
    },
  }),
  markActivityRead: () => ({ body: { seen: null } }),
  sendFeedback: () => ({ body: { feedback: 'A word to the operator.' } }),
  turnOnPush: async (world) => ({
    body: makeBrowser(String((await act(world, world.stranger, 'GET', '/v1/push')).publicKey)),
  }),
  turnOffPush: () => ({ id: '0199c000-0000-7000-8000-000000000001' }),
}

/** Every call that does something, and how each is answered. */
export async function doEverything(world: World, known: Known): Promise<Look[]> {
  const { stranger, testApp } = world
  const looks: Look[] = []
  for (const [name, sends] of Object.entries(DONE) as [Doing, (typeof DONE)[Doing]][]) {
    const { path }: Endpoint = endpoints[name]
    const { body, id } = await sends(world)
    const answer = await testApp.app.inject({
      method: 'POST',
      url: path.replace(':id', id ?? ''),
      headers: bearer(await tokenOf(testApp, stranger)),
      ...(body && { payload: body }),
    })
    looks.push(lookAt(name, answer, known))
  }
  return looks
}
