import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Drawings, PUBLIC_PAGE_PLACES } from '@tradepost/contract/drawings'
import type { PublicRecord } from '@tradepost/contract/public-record'
import { PUBLIC_PAGE, PUBLIC_PICTURE, webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ttlCache } from '../platform/cache/ttl-cache.ts'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { WebDocuments } from '../platform/http/web-documents.ts'
import { findPublicTrader, type PublicReads, type PublicTrader, readPublicRecord } from './public-record.ts'
import { makePictures } from './render-picture.ts'

/** How long a page is kept for a trader's last event: ages, prices and the night's figures change without one. */
const PAGE_MS = 30_000
/** A profile's document waits no longer for its title: without a database the app is served all the same. */
const PATIENCE_MS = 500
/** A browser keeps a page no longer than a page that was turned off may be seen. */
const FRESH = 'public, max-age=30'
/** The address of a picture names its version. */
const PICTURE_FRESH = 'public, max-age=86400'

export type PublicPageDeps = PublicReads & { db: Queryable; clock: Clock }
type Deps = PublicPageDeps & {
  documents: WebDocuments
  origin: string
  loadDrawings: () => Promise<Drawings>
}
type ByName = { Params: { username: string } }

/**
 * `/t/{username}` and its picture, for everybody, where the trader has turned the page on (rule G-109, ADR 0116). Each visitor costs one
 * small statement: whether the page is on, and the trader's last event. A page is made once for that event, and again every half minute.
 * Every other address below `/t/` is answered alike: unknown names, pages that are off and people who are suspended.
 * @returns answers a name with title and preview for the document of the profile; null where there is no public page
 */
export function publicPagesRoutes(
  app: FastifyInstance,
  deps: Deps,
): (username: string) => Promise<string | null> {
  const { clock, db, documents, loadDrawings } = deps
  const [before, between, after] = placesOf(documents.read('public-page.html'))
  const nobody = documents.keep(documents.read('no-public-page.html'))
  const renderPicture = makePictures()
  const find = (username: string) => findPublicTrader(db, username)
  const keptRecord = keepRecords(deps)
  const keptPage = ttlCache(clock, PAGE_MS, async (key) => {
    const kept = await keptRecord(key)
    const head = await drawHead(deps, kept, true)
    const { drawPublicPage } = await loadDrawings()
    return before + head + between + drawPublicPage(kept.record, kept.now) + after
  })

  function refuse(reply: FastifyReply): FastifyReply {
    return documents.send(reply, nobody, { status: 404, scripts: 'none', caching: 'no-store' })
  }

  async function answerPage(typed: string, isSpelledSo: (path: string) => boolean, reply: FastifyReply) {
    const trader = await find(typed)
    if (!trader) return refuse(reply)
    const path = webPaths.publicPage(trader.username)
    if (!isSpelledSo(path)) return reply.header('cache-control', FRESH).redirect(path, 301)
    return documents.send(reply, await keptPage(keyOf(trader)), { scripts: 'none', caching: FRESH })
  }

  for (const path of [PUBLIC_PAGE, `${PUBLIC_PAGE}/`]) {
    app.get<ByName>(path, ({ params, url }, reply) =>
      answerPage(params.username, (path) => url.split('?', 1)[0] === path, reply),
    )
  }
  app.get<ByName>(PUBLIC_PICTURE, async ({ params }, reply) => {
    const trader = await find(params.username)
    if (!trader) return refuse(reply)
    const { now, record } = await keptRecord(keyOf(trader))
    const { drawPicture } = await loadDrawings()
    const png = await renderPicture(drawPicture(record, now))
    return (
      reply
        .type('image/png')
        .header('cache-control', PICTURE_FRESH)
        // Pages of other sites may show it; of a search it is no result.
        .header('x-robots-tag', 'noindex')
        .header('cross-origin-resource-policy', 'cross-origin')
        .send(Buffer.from(png))
    )
  })
  return async (username) => {
    try {
      const trader = await within(PATIENCE_MS, find(username))
      const kept = trader && (await within(PATIENCE_MS, keptRecord(keyOf(trader))))
      return kept && (await drawHead(deps, kept, false))
    } catch {
      // The app shows the profile all the same, or says why it cannot.
      return null
    }
  }
}

/** @throws when the document lacks the places of head and content */
function placesOf(html: string): [string, string, string] {
  const { content, head } = PUBLIC_PAGE_PLACES
  const [before = '', rest = ''] = html.split(head)
  const [between = '', after] = rest.split(content)
  if (after === undefined) throw new Error('public-page.html has no place for a page')
  return [before, between, after]
}

type Kept = { now: Date; record: PublicRecord }

/**
 * The words for previews and search engines. The picture has an address for each of its versions, since other sites keep what they were
 * given.
 */
async function drawHead(
  { loadDrawings, origin }: Deps,
  { now, record }: Kept,
  isPage: boolean,
): Promise<string> {
  const { drawPicture, drawPublicHead } = await loadDrawings()
  const { username } = record
  const version = createHash('sha256').update(drawPicture(record, now)).digest('hex').slice(0, 12)
  const picture = `${origin}${webPaths.publicPicture(username)}?v=${version}`
  return drawPublicHead(record, { address: origin + webPaths.publicPage(username), picture, isPage })
}

/** @returns null for what takes longer than a document may wait for */
async function within<Value>(milliseconds: number, value: Promise<Value>): Promise<Value | null> {
  const over = new AbortController()
  try {
    return await Promise.race([value, pause(milliseconds, null, { signal: over.signal, ref: false })])
  } finally {
    over.abort()
  }
}

/** Read again for each event, and every half minute. @returns answers a key with the record, and when it was read */
function keepRecords(deps: Deps) {
  return ttlCache(deps.clock, PAGE_MS, async (key): Promise<Kept> => {
    const now = deps.clock.now()
    return { now, record: await readPublicRecord(deps, traderOf(key), now) }
  })
}

/** A record is kept for one event of one trader. */
function keyOf({ lastEventNo, traderId, username }: PublicTrader): string {
  return [traderId, lastEventNo, username].join(' ')
}

function traderOf(key: string): PublicTrader {
  const [traderId = '', lastEventNo = '', username = ''] = key.split(' ')
  return { traderId, username, lastEventNo: Number(lastEventNo) }
}
