/**
 * Every connection to the database goes silent, five times: its bytes are taken and lead nowhere, and only new
 * connections work. How soon calls are answered and mails go on. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { startTcpProxy } from '../../server/test/processes/tcp-proxy.ts'
import type { ServerProcess } from '../server-process.ts'
import { signTraderIn } from './api-kills.ts'
import { checkExactlyOnce, everybodyNotified, print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'
import { startApi } from './stalls.ts'

const ROUNDS = 5
const FOLLOWERS = 600
const BACK_WITHIN_MS = 10_000
const CLIENTS = 12

export const runs: Record<string, () => Promise<void>> = {
  'R3-silent': () => inScenario(silenced, { followers: FOLLOWERS }),
}

async function silenced(scenario: Scenario): Promise<void> {
  await using proxy = await startTcpProxy(scenario.database.url)
  const api = await startApi(scenario, proxy)
  const apiBack: number[] = []
  const mailBack: number[] = []
  try {
    const token = await signTraderIn(scenario, api)
    await scenario.startWorker({ databaseUrl: proxy.url })
    for (let round = 1; round <= ROUNDS; round += 1) {
      // Opens every connection of the pool.
      await Promise.all(Array.from({ length: CLIENTS }, () => isAnswered(api, token)))
      await scenario.publish(`A${round}`)
      await scenario.sink.until(
        () => scenario.sink.byMessageId.size > 2 * (round - 1) * FOLLOWERS + FOLLOWERS / 2,
      )
      proxy.freeze()
      const frozen = performance.now()
      await scenario.publish(`B${round}`)
      const calls = async () => {
        while (!(await isAnswered(api, token))) await pause(20)
        apiBack.push(performance.now() - frozen)
      }
      const mails = async () => {
        await everybodyNotified(scenario, 2 * round)
        mailBack.push(performance.now() - frozen)
      }
      await Promise.all([calls(), mails()])
      // Or the server would keep the sessions that went silent until it has no room for more.
      proxy.cut()
      while (!(await isAnswered(api, token))) await pause(20)
    }
    const median = (figures: number[]) =>
      Math.round(figures.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN)
    print({
      rounds: ROUNDS,
      'calls answered after, median, ms': median(apiBack),
      'calls answered after, at most, ms': Math.round(Math.max(...apiBack)),
      'all mails sent after, median, ms': median(mailBack),
      'all mails sent after, at most, ms': Math.round(Math.max(...mailBack)),
      repeated: scenario.sink.repeats(),
    })
    await checkExactlyOnce(scenario, 0, { events: 2 * ROUNDS })
    assert.ok(Math.max(...apiBack, ...mailBack) < BACK_WITHIN_MS, 'something came back too late')
  } finally {
    await api.kill()
  }
}

async function isAnswered({ port }: ServerProcess, token: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/leaderboard`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await answer.arrayBuffer()
  return answer.ok
}
