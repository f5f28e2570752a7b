import { createServer, type RequestListener } from 'node:http'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import { KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { parseAddresses } from '../env.ts'
import type { Log } from '../log.ts'
import { countRequests } from './count-requests.ts'
import { answerError } from './error-handler.ts'
import { noteMethods } from './known-methods.ts'
import { expectProxyHeaders } from './proxy/proxy-protocol.ts'
import { refusal } from './refusal.ts'
import { nameRequests } from './request-id.ts'
import { addSecurityHeaders } from './security-headers.ts'

/** Requests a minute of one address; beyond them it is refused. Accounts have their own limits. */
const REQUESTS_PER_MINUTE_AND_IP = 1200
const TIMES = { requestTimeout: 15_000, connectionTimeout: 30_000, keepAliveTimeout: 65_000 }
/** Stands for an address that cannot be decoded, or is too long for a route; no route ends so. */
const UNREADABLE = '/unreadable-address'
/** Paths that only programs call: errors there have the format of that path. */
const PLACES = ['/v1', '/auth/v1', '/auth', '/webhooks']

/**
 * Fastify as the product runs it: times bound, empty JSON bodies accepted (the sign-in client sends them), one public
 * origin, security headers on every answer, coarse limits by address.
 * @param options.origin the one browser origin that may call (API-04)
 * @param options.trustProxy addresses and networks of proxies whose forwarding headers count, with commas between; or null
 * @param options.proxyProtocol those of balancers that begin each connection with a header of the PROXY protocol; none unless given
 */
export async function makeHttpServer(options: {
  log: Log
  origin: string
  trustProxy: string | null
  proxyProtocol?: string | null
  limitsOn: boolean
}): Promise<FastifyInstance> {
  const balanced = options.proxyProtocol ? serverBehind(options.proxyProtocol) : null
  const proxies = options.trustProxy?.split(',').map((address) => address.trim()) ?? []
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: nameRequests(proxies),
    trustProxy: proxies.length > 0 ? proxies : false,
    bodyLimit: 64 * 1024,
    ...TIMES,
    ...(balanced && { serverFactory: balanced.make }),
    handlerTimeout: 10_000,
    forceCloseConnections: 'idle',
    // A request over a connection that is open already is answered until the last: a bare 503 would be a failed call.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    frameworkErrors: (_error, { raw }, reply) => {
      // Fastify's own answer has no headers and quotes the address, so the request is routed as an unknown address.
      const place = PLACES.find((each) => raw.url?.startsWith(`${each}/`)) ?? ''
      raw.url = place + UNREADABLE
      app.routing(raw, reply.raw)
    },
  }) as unknown as FastifyInstance
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  refuseSecondHost(app)
  endAnswers(app, () => balanced?.endWaiting())
  countRequests(app)
  app.decorate('methodsOf', noteMethods(app))
  acceptEmptyJson(app)
  app.setErrorHandler(answerError)
  // First of all plug-ins: the others' own answers (a preflight, a 429) carry these headers too.
  addSecurityHeaders(app, { https: options.origin.startsWith('https:') })
  app.addHook('onRequest', async (request, reply) => {
    // Not a browser's preflight: the plug-in would answer it in plain text.
    const isPreflight = request.headers.origin && request.headers['access-control-request-method']
    if (request.method === 'OPTIONS' && !isPreflight) reply.callNotFound()
  })
  await allowOrigin(app, options.origin)
  if (options.limitsOn) await limitAddresses(app)
  await app.register(compress, { global: true, threshold: 2048, encodings: ['br', 'gzip'] })
  return app
}

/** Of two hosts Node takes the first, and another server on the way may take the second (RFC 9112 section 3.2). */
function refuseSecondHost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const names = request.raw.rawHeaders.filter((_, nth) => nth % 2 === 0)
    if (names.filter((name) => name.toLowerCase() === 'host').length > 1) throw refusal('bad_request')
  })
}

/** Sets the headers that every answer ends with. @param endWaiting ends connections that wait, once the server closes */
function endAnswers(app: FastifyInstance, endWaiting: () => void): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    endWaiting()
  })
  app.addHook('onSend', async (_request, reply) => {
    // Kept open, the connection of an answer that was on its way would hold a closing server up until it times out.
    if (closing) reply.header('connection', 'close')
    // An answer that does not allow caching forbids it (rule G-87).
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
}

/** As Fastify makes one, but that balancers begin each connection by saying whose it is. It listens on one address only, `localhost` too. */
function serverBehind(balancers: string) {
  let endWaiting = () => {}
  return {
    make(serve: RequestListener) {
      const { connectionTimeout, ...times } = TIMES
      const server = Object.assign(createServer(serve), times).setTimeout(connectionTimeout)
      endWaiting = expectProxyHeaders(server, parseAddresses(balancers))
      return server
    },
    endWaiting: () => endWaiting(),
  }
}

/** The one browser origin may call; the preflight of any other is not allowed (API-04). */
async function allowOrigin(app: FastifyInstance, origin: string): Promise<void> {
  await app.register(cors, {
    origin: [origin],
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'authorization',
      'content-type',
      'x-client-info',
      'x-supabase-api-version',
      'apikey',
      KNOWN_DEVICE_HEADER,
    ],
    exposedHeaders: ['x-supabase-api-version', 'x-sb-error-code', 'retry-after', KNOWN_DEVICE_HEADER],
    maxAge: 600,
  })
  // These speak to pages of another host; `vary` declares that their answer differs. Browsers name the origin of our own pages' fonts and scripts too.
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    if (origin !== undefined && !origin.endsWith(`//${request.host}`)) return
    for (const name of ['allow-origin', 'allow-credentials', 'expose-headers'])
      reply.removeHeader(`access-control-${name}`)
  })
}

async function limitAddresses(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: REQUESTS_PER_MINUTE_AND_IP,
    timeWindow: 60_000,
    // A route may be exempt by `config: { rateLimit: false }`.
    allowList: (request) => request.routeOptions.config.rateLimit === false,
  })
  // Before the hooks of routes: a client that asks too often is not even looked up.
  app.addHook('onRequest', app.rateLimit())
}

/** `POST` and `DELETE` without a body still send `application/json` (auth-js does); that is no error. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, String(body), done)
  })
}
