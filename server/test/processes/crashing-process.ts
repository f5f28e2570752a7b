import { randomUUID } from 'node:crypto'
import { connectDatabase } from '../../src/platform/database/database.ts'
import { paymentTasks, paymentWork } from '../../src/worker.ts'
import { buildTestApp, type TestApp } from '../build-test-app.ts'
import { silentLog } from '../database/database.ts'
import type { BillingScenario } from '../money/billing-scenario.ts'
import { type Counted, openStripeProxy } from '../money/stripe-proxy.ts'

/** A second process on the scenario's database that dies right after something was done at Stripe. */
export type CrashingProcess = AsyncDisposable & {
  /** Its API. */
  buildApi(): Promise<TestApp>
  /** Runs one of its jobs, as its worker does. */
  runJob(name: string, payload: object): Promise<void>
  /** Deals with an event of Stripe, as its worker does. */
  handleEvent(eventId: string): Promise<void>
  /**
   * Runs `work` until Stripe has done this call, and kills the process before the answer reaches it: nothing of it reaches the
   * database any more.
   * @param at counts from 0
   * @param counts every call, or those alone that change something: between two of these nothing is done
   * @returns whether it lived to the end
   */
  dieAfter(at: number, counts: Counted, work: () => Promise<unknown>): Promise<boolean>
}

export async function startCrashingProcess(scenario: BillingScenario): Promise<CrashingProcess> {
  const { clock, pool, settings, url } = scenario.testApp
  const proxy = await openStripeProxy(scenario.sandbox.url)
  const name = `crashing_${randomUUID()}`
  const database = {
    ...connectDatabase({ url: `${url}?application_name=${name}`, size: 4, log: silentLog }),
    url,
  }
  const stripe = { ...scenario.sandbox, url: proxy.url }
  const own = { ...settings, stripe: { ...settings.stripe, apiBase: proxy.url } }
  const deps = { db: database.db, settings: own, clock, log: silentLog }
  let api: TestApp | null = null
  let running: Promise<boolean> = Promise.resolve(true)
  // Its sessions at the database end as they do when a process is killed, and no new ones come. Its code goes on, since it is
  // not really dead, but reaches nothing.
  const kill = async () => {
    database.pool.connect = () => Promise.reject(new Error('this process is dead'))
    await pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      name,
    ])
    await proxy[Symbol.asyncDispose]()
  }
  return {
    async buildApi() {
      api = await buildTestApp({ clock, stripe, database, settings: { limitsOn: settings.limitsOn } })
      return api
    },
    async runJob(job, payload) {
      await paymentTasks(deps)
        .find(({ name }) => name === job)
        ?.run(payload, 'a job of the crashing')
    },
    async handleEvent(eventId) {
      const events = paymentWork(deps).find(({ name }) => name === 'stripe_events')
      await events?.handle([{ key: [eventId], due: '' }], async () => undefined)
    },
    async dieAfter(at, counts, work) {
      const { happened } = proxy.swallowFrom(at, counts)
      running = work().then(
        () => true,
        () => false,
      )
      const lived = await Promise.race([running, happened.then(() => false)])
      if (!lived) await kill()
      return lived
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await running
      await api?.close()
      await database.close().catch(() => undefined)
    },
  }
}
