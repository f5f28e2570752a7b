import Stripe from 'stripe'
import { reasonOf } from '../platform/log.ts'
import { type CallOutcome, timeCall } from '../platform/metrics.ts'
import type { Settings } from '../platform/settings.ts'

/**
 * A person waits for the answer: two tries have to fit into what a request may take. Jobs have longer.
 * Each try has its own clock; the SDK repeats with the same idempotency key (docs.stripe.com/api/idempotent_requests).
 */
const PATIENCE = {
  request: { timeout: 6000, maxNetworkRetries: 1 },
  job: { timeout: 12_000, maxNetworkRetries: 1 },
} as const

/** The one way to Stripe, and to the sandbox that speaks as Stripe does. */
export function makeStripe(settings: Pick<Settings, 'stripe'>, patience: keyof typeof PATIENCE): Stripe {
  const base = settings.stripe.apiBase ? new URL(settings.stripe.apiBase) : null
  return new Stripe(settings.stripe.secretKey, {
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

/** What a call to Stripe needs; `stripe` is as patient as the one who waits (a person, or a job). */
export type StripeDeps = { settings: Settings; stripe: Stripe }

/** Whether the key takes real money. */
export function isLiveMode(settings: Pick<Settings, 'stripe'>): boolean {
  return /^(sk|rk)_live_/.test(settings.stripe.secretKey)
}

/** What an object at Stripe says of where it belongs; read before anything is believed of it. */
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

/** Stripe's words for "there is none", of the first and of the second version of its API. */
const MISSING = ['resource_missing', 'not_found']

/** Whether Stripe says that an object is not there. `param` narrows it to the object that a parameter names. */
export function isMissing(error: unknown, param?: string): boolean {
  return (
    error instanceof Stripe.errors.StripeError &&
    MISSING.includes(error.code ?? '') &&
    (param === undefined || error.param === param)
  )
}

/** Whether Stripe takes no second currency from a customer. It gives no code for that, so the sentence has to tell it. */
export function isCurrencyConflict(error: Stripe.errors.StripeError): boolean {
  return error.code === undefined && /combine currencies/i.test(error.message)
}

/** Whether Stripe understood and said no, so that asking again will not help: of an account that is closed by a 403. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false
  if (error.code === 'account_invalid') return true
  const status = error.statusCode ?? 0
  return status >= 400 && status < 500 && ![401, 403, 409, 429].includes(status)
}

/**
 * Whether the same call may succeed without help a little later: no answer came, or Stripe was busy or failed.
 * Everything else it says (400, 402, 403, 404 …) needs a person, or that something changes.
 */
export function healsByItself(error: Stripe.errors.StripeError): boolean {
  const status = error.statusCode ?? 0
  return status === 0 || status === 409 || status === 429 || status >= 500
}

/** What may be stored of a failure, such as `StripeCardError card_declined`. */
export function errorCode(error: Stripe.errors.StripeError): string {
  return [error.type, error.code].filter(Boolean).join(' ')
}

/**
 * Whether an idempotency key has been used up: Stripe keeps its own failure under it for a day, or knows it with
 * other parameters (docs.stripe.com/api/idempotent_requests). The next try needs another key.
 */
export function isKeySpent(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false
  if (error instanceof Stripe.errors.StripeIdempotencyError) return error.code !== 'idempotency_key_in_use'
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true'
}

/** What may be logged of a failure: never Stripe's sentence, which can hold an address; of one without an answer, why there is none. */
export function describeStripeError(error: unknown): object {
  if (!(error instanceof Stripe.errors.StripeError)) return { reason: reasonOf(error) }
  return {
    ...(error.detail instanceof Error && { reason: reasonOf(error.detail) }),
    type: error.type,
    stripeCode: error.code,
    param: error.param,
    status: error.statusCode,
    stripeRequest: error.requestId,
  }
}
