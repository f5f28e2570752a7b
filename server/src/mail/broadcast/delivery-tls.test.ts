import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { startTlsFront, type TlsFault } from '../../../test/processes/tls-front.ts'

const FAULTS: TlsFault[] = ['plain', 'stripped', 'cut', 'stranger', 'ended', 'elsewhere']
const FOLLOWERS = 60
const STEP_MS = 5000

const usual = getCACertificates()
afterEach(() => setDefaultCACertificates(usual))

for (const kind of ['implicit', 'starttls'] as const) {
  test(`when TLS fails (${kind}) nothing is sent in the clear, and nothing is lost or repeated`, async () => {
    await using scenario = await startDeliveryScenario()
    const { database, sink, clock } = scenario
    const front = await startTlsFront(sink.port, kind)
    setDefaultCACertificates([...usual, ...front.trusted])
    const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
    await addFollowers(database.pool, maria, FOLLOWERS, clock.now())
    front.fault = (connection) => FAULTS[connection % FAULTS.length] ?? null
    await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
    const worker = await scenario.startWorker({ smtpUrl: front.url })
    await scenario.advanceUntil(STEP_MS, () => front.connections() >= 3 * FAULTS.length)
    expect(sink.total()).toBe(0)

    front.fault = () => null
    await scenario.advanceUntil(STEP_MS, () => sink.byMessageId.size === FOLLOWERS)
    expect(sink.repeats()).toBe(0)
    expect(front.leaked).toEqual([])
    expect(await scenario.countExceptions('true')).toBe(0)
    await worker.stop()
    await front.close()
  })
}
