import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { registerReader } from '../../src/events/run-readers.ts'
import { pushReader } from '../../src/push/send/plan-pushes.ts'
import { buildTestApp, type TestApp } from '../build-test-app.ts'
import { call, NOTES } from '../factories.ts'
import { publish } from '../followers.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../mails/delivery-scenario.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import { type PushService, startPushService, type TestBrowser } from './push-service.ts'

/** The app, a worker beside it and a push service, under a clock that the test moves. */
export type PushScenario = AsyncDisposable & {
  testApp: TestApp
  delivery: DeliveryScenario
  service: PushService
  /** Turns notifications on in a new browser of somebody's session. @param at the scenario's push service unless given */
  turnOn(person: SignedIn, at?: PushService): Promise<TestBrowser & { deviceId: string; token: string }>
  /** Opens a position of a trader who has a username. */
  publish(trader: SignedIn, symbol: string): Promise<string>
  /** Waits until no event is left to be read and no message to be sent: who has none now gets none. */
  untilNothingIsLeft(): Promise<void>
  /** Waits until nothing is due now, whatever is to be tried later. */
  untilNothingIsDue(): Promise<void>
  /** Browsers that were sent something, sorted. */
  told(): string[]
}

const POLL_MS = 25

export async function startPushScenario(): Promise<PushScenario> {
  const testApp = await buildTestApp({ settings: { limitsOn: false } })
  const delivery = await startDeliveryScenario({ app: testApp })
  const service = await startPushService()
  const { pool, clock, db } = testApp
  // A worker that has just been started does it a moment later: what is published until then would not be pushed.
  await registerReader(db, pushReader(db), clock.now())
  const none = async (text: string, values: unknown[] = []) => {
    while (((await pool.query(text, values)).rowCount ?? 0) > 0) await pause(POLL_MS)
  }
  return {
    testApp,
    delivery,
    service,
    async turnOn(person, at = service) {
      const { body: push } = await call(testApp, person, 'GET', '/v1/push')
      const browser = at.subscribe(String(push.publicKey))
      const { status, body } = await call(testApp, person, 'POST', '/v1/push/devices', browser.subscription)
      expect({ status, ...body }).toMatchObject({ status: 201 })
      return { ...browser, deviceId: String(body.id), token: String(body.token) }
    },
    async publish(trader, symbol) {
      const crowd = { traderId: trader.userId, username: '' }
      return (await publish(testApp.db, crowd, { symbol, openNotes: NOTES }, clock.now())).positionId
    },
    untilNothingIsLeft: () =>
      none('select from event_work union all select from push_deliveries where ended_at is null'),
    untilNothingIsDue: () =>
      none(
        `select from event_work union all
         select from push_deliveries where ended_at is null and (due_at <= $1 or lease_owner is not null)`,
        [clock.now()],
      ),
    told: () => service.taken.map(({ browser }) => browser).sort(),
    async [Symbol.asyncDispose]() {
      await delivery[Symbol.asyncDispose]()
      await service.close()
      await testApp.close()
      expect(service.breaches).toEqual([])
    },
  }
}
