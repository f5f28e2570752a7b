/**
 * `npm run stripe:setup`: puts into the Stripe account what the product needs there (two webhook endpoints, the billing
 * portal), for this DATABASE_URL, DEPLOYMENT and APP_URL. Run it before the first start with a key, after an upgrade, and
 * when APP_URL has changed; repeating it changes nothing. It prints the signing secrets of new endpoints, once.
 */
import { existsSync } from 'node:fs'
import { requireTaxSettings, setUpStripe } from './billing/provider/set-up-stripe.ts'
import { findDatabase } from './local-services.ts'
import { clockOf } from './platform/clock.ts'
import { connectRunningDatabase } from './platform/database/running-database.ts'
import { type Env, readEnv } from './platform/env.ts'
import { makeLog } from './platform/log.ts'
import { makeSettings } from './platform/make-settings.ts'
import type { Settings } from './platform/settings.ts'
import { migrate } from './platform/upgrade/migrate.ts'
import { makeStripe } from './stripe/stripe-client.ts'

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const env = readEnv(process.env, { webhookSecrets: 'to come' })
  const settings = makeSettings(env)
  const origin = reachableOrigin(env, settings)
  // In production this runs before the first start, which needs the secrets: the tables may not exist yet.
  const databaseUrl = env.DATABASE_DIRECT_URL ?? env.DATABASE_URL
  if (databaseUrl) await migrate(databaseUrl, makeLog(env.LOG_LEVEL, true))
  const { db, close } = connectRunningDatabase(await findDatabase(env))
  try {
    const stripe = makeStripe(settings, 'job')
    // Before webhooks are made, whose secrets are shown once.
    await requireTaxSettings({ stripe, settings })
    const secrets = await setUpStripe({ db, stripe, settings }, origin, clockOf(env).now())
    if (origin === null) print(`Stripe cannot reach ${settings.origin}, so no webhooks were set up.`)
    printSecret('STRIPE_WEBHOOK_SECRET', secrets.platform)
    printSecret('STRIPE_ACCOUNTS_WEBHOOK_SECRET', secrets.accounts)
    print('Stripe is set up.')
  } finally {
    await close()
  }
}

/**
 * The address to which webhooks are sent. The sandbox calls this machine, real Stripe only a public address.
 * @returns null when Stripe cannot reach the product
 */
function reachableOrigin(env: Env, { origin, sandbox }: Settings): string | null {
  if (sandbox?.payments) return `http://127.0.0.1:${env.PORT}`
  const { hostname } = new URL(origin)
  return /^(localhost|127\.|\[::1\])/.test(hostname) ? null : origin
}

/** @param secret null when the endpoint was there already */
function printSecret(variable: string, secret: string | null): void {
  if (secret)
    print(
      `${variable}=${secret}\n  (new, and not printed again: put it into the environment, in front of an older one, with a comma between)`,
    )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
