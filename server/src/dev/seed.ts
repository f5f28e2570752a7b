/**
 * `npm run seed [-- --traders 50 --subscribers 1000 --seed 1]`: fills the running database with a demo world. The same
 * numbers on the same day give the same world. Refused in production.
 */

import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { fillCloses } from '../marks/fill-closes.ts'
import { type Clock, clockOf } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { connectRunningDatabase } from '../platform/database/running-database.ts'
import { readEnv } from '../platform/env.ts'
import { makeLog } from '../platform/log.ts'
import { makeSettings } from '../platform/make-settings.ts'
import type { Settings } from '../platform/settings.ts'
import { scoreAllTraders } from '../proven/score-traders.ts'
import { chooseProvider } from '../quotes/adapters/choose-provider.ts'
import type { PriceProvider } from '../quotes/provider/provider.ts'
import { makeCalls } from '../quotes/provider/take-call.ts'
import { readDirectory } from '../quotes/symbols/read-directory.ts'
import { makeStripe } from '../stripe/stripe-client.ts'
import { findRunningPostgres } from './embedded-postgres.ts'
import { readSeedMarket } from './seed/seed-market.ts'
import { makeSeedPayments } from './seed/seed-payments.ts'
import { seedWorld } from './seed/seed-world.ts'
import { SYMBOLS } from './seed/trades.ts'
import { makeWorld, type WorldSize } from './seed/world.ts'

function readSize(): WorldSize {
  const { values } = parseArgs({
    options: {
      traders: { type: 'string', default: '12' },
      subscribers: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
    },
  })
  const number = (name: keyof typeof values, min: number) => {
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < min) throw new Error(`--${name} takes a whole number from ${min}`)
    return value
  }
  return { traders: number('traders', 1), subscribers: number('subscribers', 0), seed: number('seed', 0) }
}

/** Keeps and computes what a worker would have kept and computed in the months of the demo world. */
async function scorePast(
  db: Queryable,
  deps: { provider: PriceProvider; clock: Clock },
  { indexSymbol, marksPerMinute }: Settings,
  now: Date,
): Promise<void> {
  await fillCloses({ ...deps, db, perMinute: marksPerMinute, indexSymbol }, now)
  await scoreAllTraders({ db, indexSymbol }, now)
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const env = readEnv(process.env)
  if (env.NODE_ENV === 'production') throw new Error('A demo world is not for production.')
  const size = readSize()
  const log = makeLog('error', true)
  const settings = makeSettings(env)
  const { db, close } = connectRunningDatabase(
    env.DATABASE_DIRECT_URL ?? env.DATABASE_URL ?? (await findRunningPostgres(env.DATA_DIR)),
  )
  try {
    const clock = clockOf(env)
    const provider = chooseProvider(settings, clock)
    const calls = makeCalls({ db, pipelined: db, clock, perMinute: settings.quotesPerMinute })
    const now = clock.now()
    const payments = settings.sandbox?.payments
      ? makeSeedPayments({
          db,
          settings,
          log,
          stripe: makeStripe(settings, 'job'),
          sandboxUrl: settings.sandbox.url,
        })
      : null
    const money = {
      priceCents: settings.subscriptionPriceCents,
      currency: settings.subscriptionCurrency,
      feePercent: payments && settings.platformFeePercent,
    }
    const market = await readSeedMarket(provider, SYMBOLS, now)
    // A worker would do it within its day; this gives the positions names at once.
    await readDirectory({ db, provider, calls, log }, now)
    const made = await seedWorld(
      { db, secret: makeSecretKey(settings.authSecret), payments },
      makeWorld(size, now, market),
      money,
      now,
    )
    if (market.isReal) await scorePast(db, { provider, clock }, settings, now)
    process.stdout.write(
      `${made.traders} traders with ${made.positions} positions and ${made.subscribers} subscribers are new.\n` +
        'Sign in as maria@people.example (a trader) or fan@people.example (a follower); the code is in the mailbox.\n',
    )
  } finally {
    await close()
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
