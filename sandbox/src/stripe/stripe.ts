import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.ts'
import { invoiceRoutes } from './billing/invoice-routes.ts'
import { subscriptionRoutes } from './billing/subscription-routes.ts'
import { priceRoutes } from './catalog/prices.ts'
import { productRoutes } from './catalog/products.ts'
import { checkoutRoutes } from './checkout/sessions.ts'
import { startClock } from './clock/clock.ts'
import { testClockRoutes } from './clock/test-clocks.ts'
import { accountRoutes } from './connect/accounts.ts'
import { linkRoutes } from './connect/links.ts'
import { serveControlApi } from './control/api.ts'
import type { StripePart } from './control/stripe-part.ts'
import { customerRoutes } from './customers/customers.ts'
import { couponRoutes } from './discounts/coupons.ts'
import { promotionCodeRoutes } from './discounts/promotion-codes.ts'
import { loadSchemas } from './gate/load.ts'
import { serveCheckout } from './pages/checkout.ts'
import { serveControl } from './pages/control.ts'
import { serveDocuments } from './pages/documents.ts'
import { serveExpress } from './pages/express.ts'
import { preparePages, sendNotice } from './pages/forms.ts'
import { serveOnboarding } from './pages/onboarding.ts'
import { servePortal } from './pages/portal.ts'
import { disputeRoutes } from './payments/disputes.ts'
import { fraudWarningRoutes } from './payments/fraud-warnings.ts'
import { paymentMethodRoutes } from './payments/payment-methods.ts'
import { payoutRoutes } from './payments/payouts.ts'
import { refundRoutes } from './payments/refunds.ts'
import { paymentRoutes } from './payments/routes.ts'
import { portalRoutes } from './portal/portal-routes.ts'
import { ApiError } from './refusals/errors.ts'
import { openDatabase } from './store/database.ts'
import { taxSettingsRoutes } from './tax/settings.ts'
import { taxIdRoutes } from './tax/tax-ids.ts'
import { startCourier } from './webhooks/deliver.ts'
import { destinationRoutes } from './webhooks/destination-routes.ts'
import { endpointRoutes } from './webhooks/endpoint-routes.ts'
import { eventRoutes } from './webhooks/event-routes.ts'
import { serveApi } from './wire/api.ts'
import { isLiveKey } from './wire/auth.ts'
import { makeFaults } from './wire/faults.ts'
import type { World } from './world/world.ts'

export const ROUTES = [
  ...customerRoutes,
  ...productRoutes,
  ...priceRoutes,
  ...couponRoutes,
  ...promotionCodeRoutes,
  ...checkoutRoutes,
  ...subscriptionRoutes,
  ...invoiceRoutes,
  ...paymentMethodRoutes,
  ...paymentRoutes,
  ...payoutRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...fraudWarningRoutes,
  ...accountRoutes,
  ...linkRoutes,
  ...portalRoutes,
  ...endpointRoutes,
  ...destinationRoutes,
  ...eventRoutes,
  ...testClockRoutes,
  ...taxSettingsRoutes,
  ...taxIdRoutes,
]

export type StripeOptions = {
  clock: Clock
  /** The address the server listens on; anything but loopback is refused. */
  host: string
  /** `stripe.sqlite` lies here; null keeps everything in memory. */
  dataDir: string | null
  /** Check every answer and event against the SDK's types. */
  strict: boolean
  env?: Record<string, string | undefined>
  /** The secrets that sign webhooks, where they were agreed before the start; else each endpoint draws its own. */
  secrets?: World['secrets']
}

/**
 * Puts Stripe's API and hosted pages on a server.
 * @throws when the address is public or a live key is configured: the sandbox is no place for real business
 */
export async function startStripe(app: FastifyInstance, options: StripeOptions): Promise<StripePart> {
  guard(options)
  const world: World = {
    db: openDatabase(options.dataDir === null ? null : join(options.dataDir, 'stripe.sqlite')),
    schemas: loadSchemas(),
    clock: options.clock,
    strict: options.strict,
    skeletons: new Map(),
    committed: [],
    secrets: options.secrets ?? { snapshot: null, thin: null },
  }
  const faults = makeFaults()
  const courier = startCourier(world)
  const clock = startClock(world)
  const part = { world, clock, courier, faults }
  preparePages(world)
  await app.register(async (scope) => {
    takeBodiesAsText(scope)
    showFailures(scope)
    serveApi(scope, world, ROUTES, faults)
    for (const serve of [
      serveCheckout,
      serveOnboarding,
      servePortal,
      serveExpress,
      serveDocuments,
      serveControl,
      serveControlApi,
    ])
      serve(scope, part)
  })
  app.addHook('onClose', async () => {
    await clock.stop()
    await courier.stop()
    world.db.close()
  })
  return part
}

function guard({ host, env = process.env }: StripeOptions): void {
  if (!/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host))
    throw new Error('The payments sandbox listens on a loopback address only.')
  const live = Object.entries(env).find(([, value]) => value !== undefined && isLiveKey(value))
  if (live !== undefined)
    throw new Error(`The payments sandbox does not start while ${live[0]} holds a live Stripe key.`)
}

/** Bodies as they came: signatures, idempotency and Stripe's own form dialect all look at the text. */
function takeBodiesAsText(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
}

/** The answer to a failure on a page: a refusal in its own words, a failure of the sandbox on the console. */
function showFailures(scope: FastifyInstance): void {
  scope.setErrorHandler((error, { method, routeOptions }, reply) => {
    if (error instanceof ApiError) return sendNotice(reply, error.status, 'That did not work', error.message)
    console.error(`The payments sandbox failed at ${method} ${routeOptions.url}:`, error)
    return sendNotice(reply, 500, 'The sandbox failed', 'Its console says why.')
  })
}
