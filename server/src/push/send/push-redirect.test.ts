import { expect, test } from 'vitest'
import { call, makeTrader, subscribe } from '../../../test/factories.ts'
import { startPushScenario } from '../../../test/pushes/push-scenario.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

test.for([301, 302, 307, 308])(
  'a push service that points elsewhere (%i) has nobody else called',
  async (status) => {
    await using scenario = await startPushScenario()
    const { delivery, service, testApp } = scenario
    const [trader, fan] = [await makeTrader(testApp), await signIn(testApp)]
    const device = await scenario.turnOn(fan)
    const { body } = await call(testApp, fan, 'GET', '/v1/push')
    const elsewhere = service.subscribe(String(body.publicKey))
    await subscribe(testApp, fan, trader)
    const headers = { location: elsewhere.subscription.endpoint }
    service.script = (browser) => (browser === device.id ? { status, headers } : null)
    await delivery.startWorker()
    await scenario.publish(trader, 'AAPL')
    await scenario.untilNothingIsLeft()
    expect([...service.asked]).toEqual([[device.id, 1]])
    const { rows } = await testApp.pool.query('select ended_as, fault from push_deliveries')
    expect(rows).toEqual([{ ended_as: 'refused', fault: `answered ${status}` }])
  },
)
