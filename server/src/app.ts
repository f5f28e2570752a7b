import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Drawings } from '@tradepost/contract/drawings'
import type { PageSettings } from '@tradepost/contract/settings'
import { homeRoute } from '@tradepost/contract/web-routes'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { accountsRoutes } from './accounts/accounts.routes.ts'
import { activityRoutes } from './activity/activity.routes.ts'
import { keepDelivery } from './activity/read-delivery.ts'
import { apiDocsRoute, openApiRoute } from './api-docs/api-docs.routes.ts'
import { emailUndoRoutes } from './auth/entry/email-undo.routes.ts'
import { limitCallers } from './auth/entry/limit-callers.ts'
import { sessionsRoutes } from './auth/entry/sessions.routes.ts'
import { undoRoutes } from './auth/entry/undo.routes.ts'
import { makeAuthDeps } from './auth/keys/auth-deps.ts'
import { authenticate } from './auth/sessions/authenticate.ts'
import { keepReturned } from './billing/empty-months/keep-returned.ts'
import { leaveRoutes } from './billing/entry/leave.routes.ts'
import { paymentsRoutes } from './billing/entry/payments.routes.ts'
import { subscriptionsRoutes } from './billing/entry/subscriptions.routes.ts'
import type { BillingDeps } from './billing/provider/billing-deps.ts'
import { webhooksRoutes } from './billing/webhooks/webhooks.routes.ts'
import { closingRoutes } from './closing/closing.routes.ts'
import { reopenRoutes } from './closing/reopen.routes.ts'
import { exportsRoutes } from './exports/links/exports.routes.ts'
import { feedRoutes } from './feed/feed.routes.ts'
import { makeLiveFeed } from './feed/live-feed.ts'
import { feedbackRoutes } from './feedback/feedback.routes.ts'
import { followingRoutes } from './following/following.routes.ts'
import { authRoutes } from './gotrue/auth.routes.ts'
import { healthRoutes } from './health.routes.ts'
import { keepLanding } from './landing/keep-landing.ts'
import { readBoard } from './landing/read-board.ts'
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
import { makeProven } from './proven/read-proven.ts'
import { type PublicPageDeps, publicPagesRoutes } from './public-pages/public-pages.routes.ts'
import { deviceCallsRoutes } from './push/devices/device-calls.routes.ts'
import { pushRoutes } from './push/devices/push.routes.ts'
import type { PriceSource } from './quotes/prices/price-source.ts'
import { quotesRoutes } from './quotes/prices/quotes.routes.ts'
import { type Directory, keepDirectory } from './quotes/symbols/directory.ts'
import { recordRoutes } from './record/record.routes.ts'
import { readKeys, readState } from './record/record-state.ts'
import { type RecordSource, recordPagesRoutes } from './record-pages.routes.ts'
import { statusRoute } from './status.routes.ts'
import { makeStripe } from './stripe/stripe-client.ts'
import { textPagesRoutes } from './text-pages.routes.ts'
import { makeTrackRecord } from './traders/record/read-track-record.ts'
import { makeFigures } from './traders/trader-profile.ts'
import { tradersRoutes } from './traders/traders.routes.ts'

const WEB_DIST = join(import.meta.dirname, '../../web/dist')
const DRAWINGS = join(WEB_DIST, 'drawings.mjs')

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
  accountsRoutes(api, auth)
  closingRoutes(api, auth)
  const feed = makeLiveFeed(deps)
  feedRoutes(api, { db: deps.db, feed })
  app.addHook('preClose', () => feed.close())
  const payments = { ...deps, stripe: makeStripe(settings, 'request') }
  const reads = makeReads({ ...deps, directory: keepDirectory(deps) })
  serveProductApi(api, { ...deps, ...reads }, payments)
  await webhooksRoutes(app, payments)
  mailgunRoutes(app, deps)
  await unsubscribeRoutes(app, deps)
  deviceCallsRoutes(app, deps)
  recordRoutes(app, deps)
  await undoRoutes(app, auth)
  await reopenRoutes(app, auth)
  await exportsRoutes(app, api, { ...auth, log: deps.log })
  await emailUndoRoutes(app, auth)
  await leaveRoutes(app, { ...auth, ...payments })
  if (deps.webPages) await servePages(app, { ...deps, ...reads })
  else app.setNotFoundHandler(answerNotFound)
  return app
}

/** Reads of traders, made once for all calls and pages that answer with them: each keeps its answers. */
function makeReads(deps: AppDeps & { directory: Directory }) {
  return {
    directory: deps.directory,
    findFigures: makeFigures(deps),
    readTrackRecord: makeTrackRecord(deps),
    readProven: makeProven(deps),
  }
}

/** Each feature registers its calls of the contract on the one api. */
function serveProductApi(
  api: EndpointRegistry,
  deps: AppDeps & ReturnType<typeof makeReads>,
  payments: BillingDeps & { clock: Clock; pipelined: Queryable },
): void {
  quotesRoutes(api, deps)
  paymentsRoutes(api, payments)
  subscriptionsRoutes(api, payments)
  const findPositions = keepPositions(deps)
  positionsRoutes(api, { ...deps, findPositions })
  marksRoutes(api, { ...deps, findPositions })
  tradersRoutes(api, deps)
  activityRoutes(api, deps)
  followingRoutes(api, deps)
  leaderboardRoutes(api, deps)
  provenRoutes(api, deps)
  feedbackRoutes(api, deps)
  pushRoutes(api, deps)
}

/** The built web app, and the documents beside it. */
async function servePages(app: FastifyInstance, deps: AppDeps & PublicPageDeps): Promise<void> {
  const { settings } = deps
  const documents = readWebDocuments(pageSettings(settings), settings.origin, WEB_DIST)
  apiDocsRoute(app, { documents, origin: settings.origin })
  const delivery = keepDelivery(deps.db)
  const returned = settings.returnEmptyMonths ? keepReturned(deps.db) : null
  statusRoute(app, { ...deps, delivery, documents, returned })
  recordPagesRoutes(app, { ...deps, documents, record: recordSource(deps) })
  textPagesRoutes(app, { documents, folder: settings.textsDir })
  const describeTrader = publicPagesRoutes(app, {
    ...deps,
    documents,
    loadDrawings,
    origin: settings.origin,
  })
  const landing = keepLanding({
    ...deps,
    documents,
    readBoard: () => readBoard(deps.db, delivery(deps.clock.now())),
    draw: async (board) => (await loadDrawings()).drawBoard(board),
  })
  // Not while the app is built: the database of a first start is migrated meanwhile.
  app.addHook('onListen', async () => landing.start())
  app.addHook('preClose', async () => landing.stop())
  const renewed = { [homeRoute.document]: landing.document }
  await serveWebPages(app, { dist: WEB_DIST, documents, renewed, describeTrader })
}

function recordSource({ db, settings }: Pick<AppDeps, 'db' | 'settings'>): RecordSource {
  return { keys: () => readKeys(db, settings), state: () => readState(db, settings) }
}

/** Components of the web app, which are loaded at the first drawing: a start does not wait for them. */
function loadDrawings(): Promise<Drawings> {
  return import(pathToFileURL(DRAWINGS).href)
}

function pageSettings(settings: Settings): PageSettings {
  const { sandbox } = settings
  return {
    marketOverride: settings.marketOverride,
    platformFeePercent: settings.platformFeePercent,
    subscription: { priceCents: settings.subscriptionPriceCents, currency: settings.subscriptionCurrency },
    returnsEmptyMonths: settings.returnEmptyMonths,
    ...(settings.taxLiable !== null && { taxLiable: settings.taxLiable }),
    ...(settings.priceRights !== 'live' && { priceRights: settings.priceRights }),
    sandbox: sandbox && {
      url: sandbox.url,
      mailboxUrl: sandbox.mail ? `${sandbox.url}/mail` : null,
      payments: sandbox.payments,
    },
  }
}
