import { join } from 'node:path'
import type { PageSettings } from '@tradepost/contract/settings'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { accountsRoutes } from './accounts/accounts.routes.ts'
import { activityRoutes } from './activity/activity.routes.ts'
import { apiDocsRoute, openApiRoute } from './api-docs/api-docs.routes.ts'
import { limitCallers } from './auth/entry/limit-callers.ts'
import { sessionsRoutes } from './auth/entry/sessions.routes.ts'
import { undoRoutes } from './auth/entry/undo.routes.ts'
import { makeAuthDeps } from './auth/keys/auth-deps.ts'
import { authenticate } from './auth/sessions/authenticate.ts'
import { paymentsRoutes } from './billing/entry/payments.routes.ts'
import { subscriptionsRoutes } from './billing/entry/subscriptions.routes.ts'
import type { BillingDeps } from './billing/provider/billing-deps.ts'
import { webhooksRoutes } from './billing/webhooks/webhooks.routes.ts'
import { feedRoutes } from './feed/feed.routes.ts'
import { makeLiveFeed } from './feed/live-feed.ts'
import { feedbackRoutes } from './feedback/feedback.routes.ts'
import { authRoutes } from './gotrue/auth.routes.ts'
import { healthRoutes } from './health.routes.ts'
import { leaderboardRoutes } from './leaderboard/leaderboard.routes.ts'
import { mailgunRoutes } from './mail/reports/mailgun.routes.ts'
import { unsubscribeRoutes } from './mail/unsubscribe/unsubscribe.routes.ts'
import { marksRoutes } from './marks/marks.routes.ts'
import type { Clock } from './platform/clock.ts'
import type { DiskWatch } from './platform/database/disk-watch.ts'
import type { Queryable } from './platform/database/queryable.ts'
import type { ReadsOfOthers } from './platform/distribution/replica.ts'
import { answerNotFound } from './platform/http/error-handler.ts'
import { makeHttpServer } from './platform/http/http-server.ts'
import { type EndpointRegistry, registerEndpoints } from './platform/http/register-endpoints.ts'
import { readWebDocuments } from './platform/http/web-documents.ts'
import { serveWebPages } from './platform/http/web-pages.ts'
import type { Log } from './platform/log.ts'
import type { Settings } from './platform/settings.ts'
import { keepPositions } from './positions/list/list-positions.ts'
import { positionsRoutes } from './positions/publish/positions.routes.ts'
import { provenRoutes } from './proven/proven.routes.ts'
import { deviceCallsRoutes } from './push/devices/device-calls.routes.ts'
import { pushRoutes } from './push/devices/push.routes.ts'
import type { PriceSource } from './quotes/prices/price-source.ts'
import { quotesRoutes } from './quotes/prices/quotes.routes.ts'
import { type Directory, keepDirectory } from './quotes/symbols/directory.ts'
import { statusRoute } from './status.routes.ts'
import { makeStripe } from './stripe/stripe-client.ts'
import { textPagesRoutes } from './text-pages.routes.ts'
import { tradersRoutes } from './traders/traders.routes.ts'

const WEB_DIST = join(import.meta.dirname, '../../web/dist')

export type AppDeps = {
  db: Queryable
  pipelined: Queryable
  others: ReadsOfOthers
  pool: pg.Pool
  databaseUrl: string
  disk: DiskWatch
  clock: Clock
  log: Log
  settings: Settings
  prices: PriceSource
  /** Whether the built web app is served too; without it unknown paths answer 404 JSON. */
  webPages: boolean
  /** Whether this process is a worker too. */
  hasWorker: boolean
  /** Aborted when the process is about to end. */
  draining: AbortSignal
}

/** The whole product behind one api: sign-in, product API, web app. Not listening yet; the caller closes it. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { settings } = deps
  const app = await makeHttpServer({
    log: deps.log,
    origin: settings.origin,
    trustProxy: settings.trustProxy,
    proxyProtocol: settings.proxyProtocol,
    limitsOn: settings.limitsOn,
  })
  healthRoutes(app, deps)
  openApiRoute(app, { origin: settings.origin })
  const auth = makeAuthDeps(deps)
  await authRoutes(app, auth)
  const api = registerEndpoints(app, {
    clock: deps.clock,
    authenticate: (request, now) => authenticate(auth, request, now),
    limit: settings.limitsOn ? limitCallers(deps.clock) : async () => {},
  })
  sessionsRoutes(api, auth)
  const feed = makeLiveFeed(deps)
  feedRoutes(api, { db: deps.db, feed })
  app.addHook('preClose', () => feed.close())
  const payments = { ...deps, stripe: makeStripe(settings, 'request') }
  serveProductApi(api, { ...deps, directory: keepDirectory(deps) }, payments)
  await webhooksRoutes(app, payments)
  mailgunRoutes(app, deps)
  await unsubscribeRoutes(app, deps)
  deviceCallsRoutes(app, deps)
  await undoRoutes(app, auth)
  if (deps.webPages) await servePages(app, deps)
  else app.setNotFoundHandler(answerNotFound)
  return app
}

/** Each feature registers its calls of the contract on the one api. */
function serveProductApi(
  api: EndpointRegistry,
  deps: AppDeps & { directory: Directory },
  payments: BillingDeps & { clock: Clock; pipelined: Queryable },
): void {
  accountsRoutes(api, deps)
  quotesRoutes(api, deps)
  paymentsRoutes(api, payments)
  subscriptionsRoutes(api, payments)
  const findPositions = keepPositions(deps)
  positionsRoutes(api, { ...deps, findPositions })
  marksRoutes(api, { ...deps, findPositions })
  tradersRoutes(api, deps)
  activityRoutes(api, deps)
  leaderboardRoutes(api, deps)
  provenRoutes(api, deps)
  feedbackRoutes(api, deps)
  pushRoutes(api, deps)
}

/** The built web app, and the documents beside it. */
async function servePages(app: FastifyInstance, deps: AppDeps): Promise<void> {
  const { settings } = deps
  const documents = readWebDocuments(pageSettings(settings), settings.origin, WEB_DIST)
  apiDocsRoute(app, { documents, origin: settings.origin })
  statusRoute(app, { ...deps, documents })
  textPagesRoutes(app, { documents, folder: settings.textsDir })
  await serveWebPages(app, { dist: WEB_DIST, documents })
}

function pageSettings(settings: Settings): PageSettings {
  const { sandbox } = settings
  return {
    marketOverride: settings.marketOverride,
    platformFeePercent: settings.platformFeePercent,
    subscription: { priceCents: settings.subscriptionPriceCents, currency: settings.subscriptionCurrency },
    sandbox: sandbox && {
      url: sandbox.url,
      mailboxUrl: sandbox.mail ? `${sandbox.url}/mail` : null,
      payments: sandbox.payments,
    },
  }
}
