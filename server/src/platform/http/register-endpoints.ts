import type { Endpoint } from '@tradepost/contract/endpoint'
import { API_BODY_MAX_BYTES } from '@tradepost/contract/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import type { Clock } from '../clock.ts'
import { type Client, clientOf } from './client.ts'
import { isKnown } from './entity-tag.ts'
import { answerError } from './error-handler.ts'
import { type EventStream, makeEventStreams } from './event-stream.ts'
import { ReadyAnswer } from './ready-answer.ts'
import { refusal } from './refusal.ts'

/**
 * A call that waits for the payment provider has time for two tries of 6 s and the pause between them. It is answered
 * then, before the server's own limit for the handler ends and before the browser gives up after 15 s.
 */
const PROVIDER_ANSWER_MS = 13_000
const PROVIDER_HANDLER_MS = 14_000

/** The caller: the signed-in user behind a checked access token. */
export type Caller = { userId: string; sessionId: string; email: string }

type Output<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined

/** All that a handler of an endpoint gets; `now` is looked up once its body is there, so a request judges by one instant. */
type ApiRequest<E extends Endpoint> = {
  caller: Caller
  body: E extends { body: infer Body } ? Output<Body> : undefined
  query: E extends { query: infer Query } ? Output<Query> : undefined
  params: E extends { params: infer Params } ? Output<Params> : undefined
  now: Date
  /** From where the request comes. */
  client: Client
  /** Names the request in the log and in the answer. */
  requestId: string
}

/** The way into the product API: every endpoint of the contract is served through it, in one fixed order of checks. */
export type EndpointRegistry<Authenticated extends Caller = Caller> = {
  serve<E extends Endpoint>(
    endpoint: E,
    handler: (request: ApiRequest<E>) => Promise<z.input<E['answer']> | ReadyAnswer>,
  ): void
  /**
   * Serves a call that is answered by a stream.
   * @param begin throws a refusal, or answers what is to be done with the stream once it is open
   */
  stream(
    endpoint: Endpoint & { streams: true },
    begin: (request: {
      caller: Authenticated
      now: Date
      /** Of the last message that the browser has; '' for none. */
      lastEventId: string
    }) => Promise<(stream: EventStream) => void>,
  ): void
}

/**
 * @param deps.authenticate bearer token to caller; throws `unauthorized`, `second_factor_required` or `account_suspended`
 * @param deps.limit throws `rate_limited` when this caller has asked too much, of us or of the payment provider
 */
export function registerEndpoints<Authenticated extends Caller>(
  app: FastifyInstance,
  deps: Checks<Authenticated>,
): EndpointRegistry<Authenticated> {
  const route = routeWithChecks(app, deps)
  const openStream = makeEventStreams(deps.clock)
  return {
    serve(endpoint, handler) {
      const { asksProvider } = endpoint as Endpoint
      route(endpoint, async (request, reply, context) => {
        const answering = handler({
          ...context,
          client: clientOf(request),
          requestId: request.id,
          body: read(endpoint.body, request.body),
          query: read(endpoint.query, request.query),
          params: read(endpoint.params, request.params),
        } as unknown as ApiRequest<typeof endpoint>)
        const answer = await (asksProvider ? untilProviderLimit(answering) : answering)
        const ready = answer instanceof ReadyAnswer ? answer : write(endpoint, answer)
        reply.code(endpoint.status ?? 200).type('application/json; charset=utf-8')
        return endpoint.method === 'GET' ? sendRead(request, reply, ready) : reply.send(ready.json)
      })
    },
    stream(endpoint, begin) {
      route(endpoint, async (request, reply, context) => {
        const lastEventId = String(request.headers['last-event-id'] ?? '')
        const use = await begin({ ...context, lastEventId })
        use(openStream(request, reply))
        return reply
      })
    },
  }
}

type Checks<Authenticated> = {
  clock: Clock
  authenticate: (request: FastifyRequest, now: Date) => Promise<Authenticated>
  limit: (caller: Caller, asksProvider: boolean) => Promise<void>
}

/** Returns the function that registers a route with the checks of every call. */
function routeWithChecks<Authenticated extends Caller>(app: FastifyInstance, deps: Checks<Authenticated>) {
  return (
    endpoint: Endpoint,
    handler: (
      request: FastifyRequest,
      reply: FastifyReply,
      context: Context<Authenticated>,
    ) => Promise<unknown>,
  ) => {
    const asksProvider = endpoint.asksProvider === true
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      ...(asksProvider && { handlerTimeout: PROVIDER_HANDLER_MS }),
      // The head of a stream would not end either.
      ...(endpoint.streams && { exposeHeadRoute: false, config: { isStream: true } }),
      bodyLimit: API_BODY_MAX_BYTES,
      errorHandler: (error, request, reply) => answerError(error, request, reply),
      // Before the body is read: strangers cannot make the server parse anything.
      onRequest: async (request, reply) => {
        const now = deps.clock.now()
        // A page whose device has another time goes by this one.
        reply.header('date', now.toUTCString())
        const caller = await deps.authenticate(request, now)
        await deps.limit(caller, asksProvider)
        request.apiContext = { caller, now }
      },
      handler: async (request, reply) => {
        const context = request.apiContext
        if (!context) throw refusal('unauthorized')
        // The instant at which the whole body has arrived: a slowly sent body would else be judged by an earlier instant (ADR 0075).
        const now = deps.clock.now()
        return handler(request, reply, { ...context, now } as Context<Authenticated>)
      },
    })
  }
}

type Context<Authenticated> = { caller: Authenticated; now: Date }

/** Parsing the answer removes every field that the contract does not name. */
function write(endpoint: Endpoint, answer: unknown): ReadyAnswer {
  return new ReadyAnswer(JSON.stringify(endpoint.answer.parse(answer)))
}

/** A read may be kept by the browser that asked, and is asked for again each time: 304 means that it is the same. */
function sendRead(request: FastifyRequest, reply: FastifyReply, answer: ReadyAnswer): FastifyReply {
  const { tag } = answer
  reply.headers({ 'cache-control': 'private, no-cache', etag: tag })
  if (!isKnown(tag, request.headers['if-none-match'])) return reply.send(answer.json)
  return reply.code(304).removeHeader('content-type').send()
}

/** The call goes on and its result is kept; only the person stops waiting for it. */
async function untilProviderLimit<T>(answering: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(refusal('payment_provider_error')), PROVIDER_ANSWER_MS)
  try {
    return await Promise.race([answering, promise])
  } finally {
    clearTimeout(timer)
  }
}

function read(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw refusal('bad_request')
  return parsed.data
}

declare module 'fastify' {
  interface FastifyRequest {
    apiContext?: { caller: Caller; now: Date }
  }
}
