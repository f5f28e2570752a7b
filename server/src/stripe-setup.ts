/**
 * `npm run stripe:setup`: puts into the Stripe account what the product needs there (two webhook endpoints, the billing
 * portal), for this DATABASE_URL, DEPLOYMENT and APP_URL. To be run before the first start with a key, after an upgrade,
 * and whenever an address changed; repeating it changes nothing. Signing secrets of new endpoints are printed, once.
 */
import { existsSync } from 'node:fs'
import { findDatabase } from './local-services.ts'
import { setUpStripe } from './payments/set-up-stripe.ts'
import { makeStripe } from './payments/stripe-client.ts'
import { clockOf } from './platform/clock.ts'
import { type Env, readEnv } from './platform/env.ts'
import { makeLog } from './platform/log.ts'
import { migrate } from './platform/migrate.ts'
import { connectRunningDatabase } from './platform/running-database.ts'
import { makeSettings, type Settings } from './platform/settings.ts'

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const env = readEnv(process.env, { webhookSecrets: 'to come' })
  const settings = makeSettings(env)
  const origin = reachableOrigin(env, settings)
  // The first start of a production needs the secrets that this tells, so the tables may not be there yet.
  if (env.DATABASE_URL) await migrate(env.DATABASE_URL, makeLog(env.LOG_LEVEL, true))
  const { db, close } = connectRunningDatabase(await findDatabase(env))
  try {
    const stripe = makeStripe(settings, 'job')
    const secrets = await setUpStripe({ db, stripe, settings }, origin, clockOf(env).now())
    if (origin === null) say(`Stripe cannot reach ${settings.origin}, so no webhooks were set up.`)
    tell('STRIPE_WEBHOOK_SECRET', secrets.platform)
    tell('STRIPE_ACCOUNTS_WEBHOOK_SECRET', secrets.accounts)
    say('Stripe is set up.')
  } finally {
    await close()
  }
}

/** The sandbox reaches this machine only; Stripe only what is public. */
function reachableOrigin(env: Env, { origin, sandbox }: Settings): string | null {
  if (sandbox?.payments) return `http://127.0.0.1:${env.PORT}`
  const { hostname } = new URL(origin)
  return /^(localhost|127\.|\[::1\])/.test(hostname) ? null : origin
}

function tell(variable: string, secret: string | null): void {
  if (secret)
    say(
      `${variable}=${secret}\n  (new, and not told again: put it into the environment, before an older one and a comma)`,
    )
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
