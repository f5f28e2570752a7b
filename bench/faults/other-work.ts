import { startOutbox } from '../../server/src/mail/outbox/outbox.ts'
import { queueMail } from '../../server/src/mail/outbox/queue-mail.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { makeFinnhub } from '../../server/src/quotes/adapters/finnhub.ts'
import { sdkOf } from '../../server/src/stripe/sdk.ts'
import { makeStripe } from '../../server/src/stripe/stripe-client.ts'
import { openWorkSession } from '../../server/src/work/work-session.ts'
import { mailing } from '../../server/src/worker.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { makeCrowdTrader } from '../../server/test/followers.ts'
import { startStripeSandbox } from '../../server/test/money/stripe-sandbox.ts'
import { startQuoteServer } from '../../server/test/prices/quote-server.ts'
import type { Scenario } from './delivery-scenario.ts'

/** The work of a worker beside notifications, in this process; each of the others is called by a name, as in production. */
type OtherWork = AsyncDisposable & {
  /** @returns how long each took, in milliseconds, by name */
  timed(rounds: number): Promise<Record<string, number[]>>
}

const byName = (url: string) => url.replace('127.0.0.1', 'localhost')

export async function startOtherWork({ database, sink }: Scenario): Promise<OtherWork> {
  const stripeServer = await startStripeSandbox(systemClock)
  const quotes = await startQuoteServer()
  const { mail: mailSettings, stripe: stripeSettings } = testSettings()
  const settings = testSettings({
    mail: { ...mailSettings, smtpUrl: byName(sink.url) },
    stripe: { ...stripeSettings, apiBase: byName(stripeServer.url) },
  })
  const given = { ...database, databaseUrl: database.url, clock: systemClock, log: makeLog('silent', false) }
  const session = openWorkSession(given)
  const outbox = startOutbox({ ...given, ...mailing({ db: database.db, settings }), session, settings })
  const stripe = sdkOf({ stripe: makeStripe(settings, 'job') })
  const provider = makeFinnhub({ ...quotes.provider, base: byName(quotes.provider.base), clock: systemClock })
  const reader = await makeCrowdTrader(database.pool, 'reader', new Date())
  quotes.set('AAPL', { price: 187.52, at: new Date() })
  const mail = async () => {
    const before = sink.total()
    const order = { kind: 'account_restored' as const, facts: { reason: 'None.' }, userId: reader.traderId }
    await queueMail(database.db, { ...order, cause: `round ${before}` }, new Date())
    await sink.until(() => sink.total() > before)
  }
  const works = {
    'a mail of the outbox': mail,
    'a call of Stripe': () => stripe.customers.list({ limit: 1 }),
    'a check of a price': () => provider.quote('AAPL', AbortSignal.timeout(10_000)),
  }
  return {
    async timed(rounds) {
      const lasted: Record<string, number[]> = {}
      for (let round = 0; round < rounds; round += 1)
        for (const [name, work] of Object.entries(works)) {
          const began = performance.now()
          await work()
          lasted[name] = [...(lasted[name] ?? []), performance.now() - began]
        }
      return lasted
    },
    async [Symbol.asyncDispose]() {
      await outbox.stop()
      await session.end()
      await quotes.close()
      await stripeServer[Symbol.asyncDispose]()
    },
  }
}
