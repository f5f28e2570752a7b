import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { startCountingSink } from '../../../test/mails/counting-sink.ts'
import { startWorkerProcess } from '../../../test/processes/worker-process.ts'
import { waitingMails } from '../../../test/run-outbox.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { systemClock } from '../../platform/clock.ts'

const KILLS = Number(process.env.OUTBOX_KILLS ?? 3)
const MAILS_A_KILL = 60
/** The most mails that a lane has in hand. */
const IN_HAND = 48

test('when workers are killed (-9) while people ask for sign-in mails, everybody gets one, and repeats keep their Message-ID', {
  timeout: 600_000 + KILLS * 40_000,
}, async () => {
  await using testApp = await buildTestApp({ now: systemClock.now(), settings: { limitsOn: false } })
  const sink = await startCountingSink()
  const target = { databaseUrl: testApp.url, smtpUrl: sink.url, connections: 1 }
  const wire = authWire(testApp)
  const asked: string[] = []
  const ask = async () => {
    const email = `person-${asked.length}@people.example`
    asked.push(email)
    expect((await wire.otp(email)).status).toBe(200)
  }
  try {
    // Slow enough that there is always one on its way.
    sink.script = { message: () => ({ waitMs: 20 }) }
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const worker = await startWorkerProcess(target)
      // Codes live for minutes of the worker's clock, which is the machine's; a hundred kills take longer.
      testApp.clock.set(systemClock.now())
      const before = sink.total()
      for (let mail = 0; mail < MAILS_A_KILL; mail += 1) await ask()
      await sink.until(() => sink.total() > before)
      await worker.kill()
    }
    expect(await waitingMails(testApp.db)).not.toEqual([])
    const last = await startWorkerProcess(target)
    await expect
      .poll(async () => (await waitingMails(testApp.db)).length, { timeout: 120_000 + KILLS * 10_000 })
      .toBe(0)
    expect(await last.stop()).toBe(0)
  } finally {
    await sink.close()
  }
  expect([...sink.byRecipient.keys()].sort()).toEqual([...asked].sort())
  expect(sink.byMessageId.size).toBe(KILLS * MAILS_A_KILL)
  expect(sink.repeats()).toBeLessThanOrEqual(KILLS * IN_HAND)
})
