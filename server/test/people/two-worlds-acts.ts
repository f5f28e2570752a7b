import { call, makeTrader, moveSubscription, subscribe } from '../factories.ts'
import { openFeed } from '../open-feed.ts'
import { authWire, wrongCode } from '../sign-in/auth-wire.ts'
import { authenticatorCode } from '../sign-in/authenticator.ts'
import { secondFactor } from '../sign-in/second-factor.ts'
import { signIn } from '../sign-in/sign-in.ts'
import { act, checkIn, closeIn, FOLLOWED, FREE, HELD, openIn, type World } from './two-worlds.ts'

/** Something that somebody does, in one of the worlds alone. */
export type Act = [what: string, act: (world: World) => Promise<unknown>]

const [FREE_A = '', FREE_B = '', FREE_C = '', FREE_D = ''] = FREE
const [HELD_A = '', HELD_B = ''] = HELD
const get =
  (...urls: string[]): Act[1] =>
  async (world) => {
    for (const url of urls) await act(world, world.actor, 'GET', url)
  }
const post =
  (url: string, body: object): Act[1] =>
  (world) =>
    act(world, world.actor, 'POST', url, body)

/** On the first day, within the plan of everything that is opened. */
export const FIRST_DAY: Act[] = [
  ['types a ticker', get('/v1/symbols?query=fr', '/v1/symbols?query=free', `/v1/symbols?query=${FREE_A}`)],
  [
    'types the name of the stranger',
    get('/v1/accounts/search?username=stella', '/v1/accounts/suggestions?username=ste'),
  ],
  [
    'looks at the stranger’s profile',
    get(
      '/v1/accounts/profile?username=stella',
      '/v1/traders/stella/track-record',
      '/v1/traders/stella/positions/closed',
    ),
  ],
  ['says something else about themselves', post('/v1/accounts/about', { about: 'Other words of theirs.' })],
  ['checks the price of a ticker that nobody holds', (world) => checkIn(world, world.actor, FREE_A)],
  ['checks the price of one that the stranger holds', (world) => checkIn(world, world.actor, HELD_A)],
  [
    'checks one that there is not',
    (world) => call(world.testApp, world.actor, 'POST', '/v1/positions/preview', { symbol: 'NOSUCH' }),
  ],
  ['opens one that nobody holds', (world) => openIn(world, world.actor, FREE_A)],
  ['opens one that the stranger holds', (world) => openIn(world, world.actor, HELD_A)],
  [
    'opens one that the trader whom the stranger follows holds',
    (world) => openIn(world, world.actor, FOLLOWED),
  ],
  [
    'opens two more',
    (world) => openIn(world, world.actor, HELD_B).then(() => openIn(world, world.actor, FREE_B)),
  ],
  ['looks at what they hold, and what it is worth', get('/v1/positions', '/v1/marks', '/v1/activity')],
  ['has a feed open', async (world) => (await openFeed(world.testApp, world.actor)).close()],
  [
    'marks Activity as read',
    async (world) => {
      const { seen } = await act(world, world.actor, 'GET', '/v1/activity')
      await act(world, world.actor, 'POST', '/v1/activity/read', { seen })
    },
  ],
  [
    'leaves the trader whom the stranger follows, and comes back',
    async ({ actor, testApp, trader }) => {
      const { rows } = await testApp.pool.query('select id from subscriptions where subscriber_id = $1', [
        actor.userId,
      ])
      await moveSubscription(testApp, trader, String(rows[0]?.id), 'canceled')
      await subscribe(testApp, actor, trader)
    },
  ],
  [
    'has another follower, who leaves again',
    async ({ actor, testApp }) => {
      const id = await subscribe(testApp, await signIn(testApp), actor)
      await moveSubscription(testApp, actor, id, 'canceled')
    },
  ],
  [
    'turns the mails of a subscription off',
    async (world) => {
      const { subscriptions } = await act(world, world.actor, 'GET', '/v1/subscriptions')
      const [first] = subscriptions as { id: string }[]
      await act(world, world.actor, 'POST', `/v1/subscriptions/${first?.id}/mail`, { enabled: false })
    },
  ],
  ['writes to the operator', post('/v1/feedback', { feedback: 'The chart should show the opening price.' })],
]

/** The day after. */
export const SECOND_DAY: Act[] = [
  ['opens one after others have told its close', (world) => openIn(world, world.actor, FREE_C)],
  [
    'asks for a code by mail, and types wrong ones',
    async ({ testApp }) => {
      const wire = authWire(testApp)
      const { code, to } = await wire.mailTo('actor-by-mail@people.example')
      for (let nth = 0; nth < 3; nth += 1)
        await wire.call('POST', '/verify', { body: { type: 'email', email: to, token: wrongCode(code) } })
    },
  ],
  [
    'signs in elsewhere, and signs that out again',
    async ({ testApp }) => {
      const wire = authWire(testApp)
      const session = await wire.enter('actor-elsewhere@people.example')
      await wire.call('POST', '/logout?scope=local', { token: session.access_token })
    },
  ],
  [
    'turns the second step on, and types wrong codes',
    async ({ testApp }) => {
      const wire = authWire(testApp)
      const session = await wire.enter('actor-two-step@people.example')
      const factor = await secondFactor(testApp, wire).enrol(session.access_token, 'phone')
      for (let nth = 0; nth < 12; nth += 1)
        await secondFactor(testApp, wire).answer(
          session.access_token,
          factor.id,
          wrongCode(authenticatorCode(factor.secret, testApp.clock.now())),
        )
    },
  ],
  ['joins with another name', ({ testApp }) => makeTrader(testApp, 'somebody-else')],
  ['is followed by the trader', (world) => subscribe(world.testApp, world.trader, world.actor)],
  [
    'opens and looks again',
    async (world) => {
      await openIn(world, world.actor, FREE_D)
      await act(world, world.actor, 'GET', '/v1/marks')
    },
  ],
]

/** Closing, which makes a position public; the stranger holds some of these themselves. */
export const CLOSES: Act[] = [
  ['closes one that nobody else holds', (world) => closeIn(world, world.actor, FREE_A)],
  ['closes one that the stranger holds', (world) => closeIn(world, world.actor, HELD_A)],
  [
    'closes one at night, without a price of now',
    async (world) => {
      const { clock } = world.testApp
      const now = clock.now()
      clock.set(new Date(now.getTime() + 7 * 3_600_000))
      await closeIn(world, world.actor, FREE_B)
      clock.set(now)
    },
  ],
]
