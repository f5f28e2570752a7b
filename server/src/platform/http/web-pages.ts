import staticFiles from '@fastify/static'
import { SERVICE_WORKER_PATH } from '@tradepost/contract/push-worker'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { type WebRoute, webRoutes } from '@tradepost/contract/web-routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowOthers, answerNotFound } from './error-handler.ts'
import type { KeptDocument, WebDocuments } from './web-documents.ts'

const YEAR_SECONDS = 31_536_000

/** Files of the build that only the server reads: no address leads to them. */
const HIDDEN_FILES = ['**/*.html{,.br,.gz}', '**/csp.json{,.br,.gz}', '**/*.mjs']

/** Which values of a path's named segment can be somebody; with another there is nothing to show (rule G-02). */
const CAN_EXIST: Readonly<Record<string, (value: string) => boolean>> = {
  username: (typed) => isUsername(readUsername(typed)),
}

type PageSources = {
  /** Folder of the built web app. */
  dist: string
  documents: WebDocuments
  routes?: readonly WebRoute[]
  /** The documents that change while the process runs, by their file; asked for each answer. */
  renewed?: Readonly<Record<string, () => KeptDocument>>
  /** Elements of the head for a trader's profile in the place of the title; null for those of every page. */
  describeTrader?: (username: string) => Promise<string | null>
}

/**
 * Serves the built web app. Every path of the route table answers 200 with its document, or with the app's shell; every
 * other address that is no call's answers 404 with the shell, which shows the not-found screen (rule G-02). Hashed assets
 * are kept for a year.
 * @throws when a route names a segment that `CAN_EXIST` does not know
 */
export async function serveWebPages(
  app: FastifyInstance,
  {
    dist,
    documents,
    renewed = {},
    routes = Object.values(webRoutes),
    describeTrader = async () => null,
  }: PageSources,
): Promise<void> {
  const shell = documents.keep(documents.read('app.html'))
  const describe = (path: string, { username = '' }: Record<string, string>) =>
    path === webRoutes.trader.path ? describeTrader(username) : null

  await app.register(staticFiles, {
    root: dist,
    index: false,
    wildcard: false,
    globIgnore: HIDDEN_FILES,
    preCompressed: true,
    cacheControl: false,
    setHeaders(reply, path) {
      reply.header('cache-control', cachingOf(path))
      // It may call us, which no other file does; documents bring their own policy.
      if (isServiceWorker(path)) reply.header('content-security-policy', WORKER_POLICY)
    },
  })
  for (const { path, document } of routes) {
    const html = document
      ? (renewed[document] ?? always(documents.keep(documents.read(document))))
      : always(shell)
    const checks = checksOf(path)
    const answer = async (
      request: FastifyRequest<{ Params: Record<string, string> }>,
      reply: FastifyReply,
    ) => {
      const exists = checks.every(({ name, canExist }) => canExist(request.params[name] ?? ''))
      if (!exists) return reply.callNotFound()
      const head = await describe(path, request.params)
      const shown = head === null ? html() : html().html.replace(/<title>.*?<\/title>/, () => head)
      return documents.send(reply, shown, { trustedTypes: APP_POLICY })
    }
    app.get(path, answer)
    // The browser's router ignores a slash at the end (contract/src/match-path.ts).
    if (!path.endsWith('/')) app.get(`${path}/`, answer)
  }
  app.setNotFoundHandler((request, reply) => {
    if (!wantsPage(request) || isCall(request) || allowOthers(request, reply))
      return answerNotFound(request, reply)
    return documents.send(reply, shell, { status: 404, trustedTypes: APP_POLICY })
  })
}

function always(document: KeptDocument): () => KeptDocument {
  return () => document
}

function wantsPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && /text\/html|\*\/\*/.test(headers.accept ?? '')
}

/** Whether an unknown address lies where programs alone ask. */
function isCall({ url }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? ''
  // Read as a router would: `/v1%2Fnothing` is asked by a program too. Paths that cannot be decoded never come here.
  return /^\/(v1|auth|webhooks)(\/|$)/.test(decodeURIComponent(path))
}

/** With it the app names the address of its service worker (web/src/features/account/push-browser.ts), and nothing else. */
const APP_POLICY = 'service-worker'
const WORKER_POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

const isServiceWorker = (path: string) => path.includes(SERVICE_WORKER_PATH)

/** A browser has to find a newer service worker where it found the last one. */
function cachingOf(path: string): string {
  if (isServiceWorker(path)) return 'no-cache'
  return path.includes('/assets/') ? `public, max-age=${YEAR_SECONDS}, immutable` : 'public, max-age=3600'
}

function checksOf(path: string): { name: string; canExist: (value: string) => boolean }[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const canExist = CAN_EXIST[name]
    if (!canExist) throw new Error(`Nothing says which values ":${name}" of the path ${path} can have`)
    return { name, canExist }
  })
}
