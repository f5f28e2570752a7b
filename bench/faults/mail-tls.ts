/**
 * A mail server whose TLS fails in six ways, from the first byte (`implicit`) and after STARTTLS: no mail is sent
 * unencrypted. Then one connection in three succeeds and ends after 300 mails, until every follower has the mail: nothing
 * is lost or repeated.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { startTlsFront, type TlsFault } from '../../server/test/processes/tls-front.ts'
import { checkExactlyOnce, everybodyNotified, print, timesOf } from './delivery-checks.ts'
import { FOLLOWERS, inScenario, type Scenario } from './delivery-scenario.ts'

const FAULTS: TlsFault[] = ['plain', 'stripped', 'cut', 'stranger', 'ended', 'elsewhere']
const MAILS_A_CONNECTION = 300

export const runs: Record<string, () => Promise<void>> = {
  'R5-tls': () => inScenario((scenario) => tlsFails(scenario, 'implicit')),
  'R5-starttls': () => inScenario((scenario) => tlsFails(scenario, 'starttls')),
}

async function tlsFails(scenario: Scenario, kind: 'implicit' | 'starttls'): Promise<void> {
  const { sink } = scenario
  const front = await startTlsFront(sink.port, kind)
  try {
    front.fault = (connection) => FAULTS[connection % FAULTS.length] ?? null
    const worker = await scenario.startWorker({ front })
    await scenario.publish()
    while (front.connections() < scenario.connections * FAULTS.length) await pause(50)
    assert.equal(sink.total(), 0, 'a mail went over a connection that was not secure')
    const failed = front.connections()

    let mailsBegun = 0
    sink.script = {
      sender() {
        mailsBegun += 1
        return mailsBegun % MAILS_A_CONNECTION === 0 ? '421 enough' : null
      },
    }
    front.fault = (connection) => (connection % 3 === 0 ? null : (FAULTS[connection % 5] ?? null))
    const mended = performance.now()
    await everybodyNotified(scenario)
    print({
      'connections that failed before one was good': failed,
      'connections in all': front.connections(),
      'first mail after a good one was to be had, ms': Math.round(timesOf(sink).first - mended),
      'mails/s from then on': Math.round((FOLLOWERS / (timesOf(sink).last - mended)) * 1000),
      'sent unencrypted': front.leaked.length,
      repeated: sink.repeats(),
    })
    assert.deepEqual(front.leaked, [])
    await checkExactlyOnce(scenario, 0)
    assert.equal(await worker.stop(), 0)
  } finally {
    await front.close()
  }
}
