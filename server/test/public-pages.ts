import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PUBLIC_PAGE_PLACES } from '@tradepost/contract/drawings'
import * as drawings from '../../web/src/document/drawings.tsx'
import { keepDelivery } from '../src/activity/read-delivery.ts'
import { keepReturned } from '../src/billing/empty-months/keep-returned.ts'
import { readAllFromPrimary } from '../src/platform/distribution/replica.ts'
import { makeHttpServer } from '../src/platform/http/http-server.ts'
import { readWebDocuments } from '../src/platform/http/web-documents.ts'
import { makeProven } from '../src/proven/read-proven.ts'
import { publicPagesRoutes } from '../src/public-pages/public-pages.routes.ts'
import { keepDirectory } from '../src/quotes/symbols/directory.ts'
import { statusRoute } from '../src/status.routes.ts'
import { makeTrackRecord } from '../src/traders/record/read-track-record.ts'
import { makeFigures } from '../src/traders/trader-profile.ts'
import type { TestApp } from './build-test-app.ts'
import { silentLog } from './database/database.ts'

export const ORIGIN = 'https://tradepost.example'

/** The document of the build, with nothing around its places. */
const PAGE = `${PUBLIC_PAGE_PLACES.head}${PUBLIC_PAGE_PLACES.content}`

/** Public pages and the status as a process of the product serves them, over a database and a clock of a test's app. */
export async function servePublicPages({ clock, db, pipelined, settings }: TestApp) {
  const dist = mkdtempSync(join(tmpdir(), 'tradepost-public-'))
  const files = {
    'index.html': '',
    'public-page.html': PAGE,
    'no-public-page.html': 'no page',
    'text.html': '__TITLE__ __TEXT__',
    'csp.json': '{"scripts":["sha256-x"],"styles":[]}',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, name), text)
  const app = await makeHttpServer({ log: silentLog, origin: ORIGIN, trustProxy: null, limitsOn: false })
  const money = { platformFeePercent: 10, subscription: { priceCents: 1000, currency: 'usd' } }
  const documents = readWebDocuments({ marketOverride: null, sandbox: null, ...money }, ORIGIN, dist)
  const deps = { db, pipelined, clock, settings, others: readAllFromPrimary(db) }
  const reads = {
    findFigures: makeFigures({ ...deps, directory: keepDirectory(deps) }),
    readTrackRecord: makeTrackRecord(deps),
    readProven: makeProven(deps),
  }
  const describe = publicPagesRoutes(app, {
    ...deps,
    ...reads,
    documents,
    loadDrawings: async () => drawings,
    origin: ORIGIN,
  })
  statusRoute(app, { clock, documents, delivery: keepDelivery(db), returned: keepReturned(db) })
  return {
    describe,
    get: (url: string) => app.inject({ url }),
    /** A picture that a slow machine draws for longer than an answer may take is there at one of the next tries. */
    async getPicture(url: string) {
      for (;;) {
        const answer = await app.inject({ url })
        if (answer.statusCode !== 503) return answer
      }
    },
    head: (url: string) => app.inject({ method: 'HEAD', url }),
    async [Symbol.asyncDispose]() {
      await app.close()
      rmSync(dist, { recursive: true })
    },
  }
}
