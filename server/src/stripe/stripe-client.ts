import Stripe from 'stripe'
import { type CallOutcome, timeCall } from '../platform/metrics.ts'
import type { Settings } from '../platform/settings.ts'
import { StripeClient } from './sdk.ts'

/**
 * A person waits for the answer: two tries have to fit into what a request may take. Jobs have longer.
 * Each try has its own clock; the SDK repeats with the same idempotency key (docs.stripe.com/api/idempotent_requests).
 */
const PATIENCE = {
  request: { timeout: 6000, maxNetworkRetries: 1 },
  job: { timeout: 12_000, maxNetworkRetries: 1 },
} as const

/** The one way to Stripe, and to the sandbox that speaks as Stripe does. */
export function makeStripe(
  settings: Pick<Settings, 'stripe'>,
  patience: keyof typeof PATIENCE,
): StripeClient {
  const base = settings.stripe.apiBase ? new URL(settings.stripe.apiBase) : null
  const sdk = new Stripe(settings.stripe.secretKey, {
    ...PATIENCE[patience],
    httpClient: makeTimedClient(),
    telemetry: false,
    appInfo: { name: 'Tradepost' },
    ...(base && {
      host: base.hostname,
      port: base.port || (base.protocol === 'https:' ? 443 : 80),
      protocol: base.protocol === 'https:' ? ('https' as const) : ('http' as const),
    }),
  })
  return new StripeClient(sdk)
}

/** The SDK's own client, with a clock: each try is counted with what became of it. */
function makeTimedClient() {
  const client = Stripe.createNodeHttpClient()
  const ask = client.makeRequest.bind(client)
  client.makeRequest = (...request) =>
    timeCall(
      'payments',
      () => ask(...request),
      (answer, error) => judge(answer?.getStatusCode() ?? null, error),
    )
  return client
}

function judge(status: number | null, error: unknown): CallOutcome {
  if (status === null) return (error as NodeJS.ErrnoException).code === 'ETIMEDOUT' ? 'timeout' : 'failed'
  if (status < 400) return 'ok'
  return status >= 500 ? 'failed' : 'refused'
}

/** Dependencies of a call to Stripe; the time-outs of `stripe` fit the caller that waits (a person, or a job). */
export type StripeDeps = { settings: Settings; stripe: StripeClient }

/** Whether the key takes real money. */
export function isLiveMode({ stripe }: { stripe: Pick<Settings['stripe'], 'secretKey'> }): boolean {
  return /^(sk|rk)_live_/.test(stripe.secretKey)
}

/** The metadata by which an object at Stripe names where it belongs; read before anything else of it is believed. */
export type StripeMark = { app: string; env: string }

const APP = 'tradepost'

/** The mark that every object of this deployment carries in its metadata. */
export function stripeMark(settings: Pick<Settings, 'stripe'>): StripeMark {
  return { app: APP, env: settings.stripe.deployment }
}

/** Whether an object is this deployment's: other products and deployments may share the Stripe account. */
export function isOurs(
  settings: Pick<Settings, 'stripe'>,
  metadata: Stripe.Metadata | null | undefined,
): boolean {
  return metadata?.app === APP && metadata.env === settings.stripe.deployment
}
