import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync } from 'node:zlib'
import { formatMoney } from '@tradepost/contract/money'
import { type PageSettings, pageSettings } from '@tradepost/contract/settings'
import { withTaxWords } from '@tradepost/contract/tax-words'
import type { FastifyReply } from 'fastify'

/** The documents of the built web app. */
export type WebDocuments = {
  /** @param file name in the build's folder @returns the document with the settings of this server in it */
  read(file: string): string
  /**
   * For a document that stays as it is while the process runs: browsers are sent it compressed as far as it goes, which is a seventh
   * less than each answer is compressed and takes tens of milliseconds once.
   */
  keep(html: string): KeptDocument
  send(
    reply: FastifyReply,
    html: string | KeptDocument,
    options?: { status?: number; trustedTypes?: TrustedTypes; scripts?: 'none'; caching?: string },
  ): FastifyReply
}

export type KeptDocument = {
  html: string
  brotli(): Buffer
  /** Compresses it beside everything else, so that nobody waits for it at the first answer. */
  compress(): Promise<void>
}

const compressBeside = promisify(brotliCompress)

/** The one policy that a document's scripts may make, for turning text into the address of a script; none unless given. */
type TrustedTypes = 'service-worker'

/**
 * Reads the documents of the built web app. The page's settings, the price, and the origin that a preview of the page has to
 * name are written into them at start, so one build serves every environment.
 * @param dist folder of the build
 * @throws when the web app has not been built
 */
export function readWebDocuments(settings: PageSettings, origin: string, dist: string): WebDocuments {
  if (!existsSync(join(dist, 'index.html'))) throw new Error('The web app is not built: run "npm run build".')
  const hashes = JSON.parse(readFileSync(join(dist, 'csp.json'), 'utf8')) as Hashes
  return {
    read: (file) => documentWith(settings, origin, join(dist, file)),
    keep: keepDocument,
    send: (reply, html, { status = 200, trustedTypes, scripts, caching = 'no-cache' } = {}) =>
      reply
        .code(status)
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', contentSecurityPolicy(scripts ? null : hashes, trustedTypes))
        .header('cache-control', caching)
        .send(typeof html === 'string' ? html : compressed(reply, html)),
  }
}

function keepDocument(html: string): KeptDocument {
  let brotli: Buffer | null = null
  return {
    html,
    brotli() {
      brotli ??= brotliCompressSync(html)
      return brotli
    },
    async compress() {
      brotli ??= await compressBeside(html)
    },
  }
}

/** Compresses the document with Brotli and sets its headers. A browser that accepts no Brotli, or ranks it (`br;q=1`), receives it plain. */
function compressed(reply: FastifyReply, { html, brotli }: KeptDocument): string | Buffer {
  const taken = reply.request.headers['accept-encoding']?.split(/\s*,\s*/) ?? []
  reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '))
  if (!taken.includes('br')) return html
  reply.header('content-encoding', 'br')
  return brotli()
}

function documentWith(settings: PageSettings, origin: string, path: string): string {
  const { subscription, platformFeePercent, taxLiable } = settings
  // "<" is the only character that could end the script element early.
  const json = JSON.stringify(pageSettings.parse(settings)).replaceAll('<', '\\u003c')
  return readFileSync(path, 'utf8')
    .replaceAll('__ORIGIN__', () => origin)
    .replaceAll('__PRICE__', () => formatMoney(subscription.priceCents, subscription.currency))
    .replaceAll('__TAX_WORDS__', withTaxWords('', taxLiable))
    .replaceAll('__FEE_PERCENT__', String(platformFeePercent))
    .replace('__SETTINGS__', () => json)
}

type Hashes = { scripts: string[]; styles: string[] }

/** Everything from our own origin, inline only by hash (rule G-81). @param hashes null of a document without any script */
function contentSecurityPolicy(hashes: Hashes | null, trustedTypes: TrustedTypes | undefined): string {
  const quoted = (list: string[]) => list.map((hash) => `'${hash}'`)
  return [
    "default-src 'none'",
    hashes ? ['script-src', "'self'", ...quoted(hashes.scripts)].join(' ') : "script-src 'none'",
    ['style-src', "'self'", ...quoted(hashes?.styles ?? [])].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes ?? "'none'"}`,
  ].join('; ')
}
