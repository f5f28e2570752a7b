import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkAnswer, worded } from '../gate/gate.ts'
import type { Kind } from '../model/kinds.ts'
import { ApiError, invalid } from '../refusals/errors.ts'
import { isPlainObject } from '../shape/plain-object.ts'
import { arrayOf, type Fields, fields, optional, readAs, text } from '../shape/shape.ts'
import { PAGES, transact } from '../world/transact.ts'
import { sandboxNow, type Tx, type World } from '../world/world.ts'
import { readKey } from './auth.ts'
import { checkRequest, type Params } from './check-request.ts'
import type { Fault, Faults } from './faults.ts'
import { type Match, makeFinder } from './find-route.ts'
import { type Answer, fingerprint, inFlight, recall, remember } from './idempotency.ts'
import { type Incoming, isJson, parseBody, readIncoming } from './incoming.ts'
import { list } from './lists.ts'
import type { Route } from './route.ts'
import { suffer } from './suffer.ts'

const DEEPEST = 4

/** Fields that Stripe leaves out until they are expanded, and where their objects are filed. */
const ON_REQUEST: Record<string, Record<string, Kind>> = {
  invoice: { payments: 'invoice_payment' },
  'checkout.session': { line_items: 'item' },
  customer: { subscriptions: 'subscription', tax_ids: 'tax_id' },
  charge: { refunds: 'refund' },
}

/** Fields that an object may lack altogether, and that are expandable all the same. */
const OPTIONAL: Record<string, string[]> = {
  charge: ['transfer', 'application_fee', 'on_behalf_of'],
}

/** Serves `/v1` and `/v2` on the shared server: the way of every request from the key to the answer. */
export function serveApi(app: FastifyInstance, world: World, routes: readonly Route[], faults: Faults): void {
  const find = makeFinder(routes)
  const underWay = new Set<string>()
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const incoming = readIncoming(request)
    reply.header('request-id', incoming.requestId).header('stripe-version', world.schemas.apiVersion)
    let fault: Fault | null = null
    try {
      readKey(request.headers.authorization)
      if (incoming.key !== null && underWay.has(incoming.key)) throw inFlight(incoming.key)
      fault = faults.take(incoming.method, incoming.path)
      await suffer(fault, incoming, underWay, reply)
      const { answer, replayOf } = work(world, find, incoming, request)
      if (fault?.kind === 'lost-answer') return reply.hijack().raw.destroy()
      if (replayOf !== null) reply.header('idempotent-replayed', 'true').header('original-request', replayOf)
      if (incoming.key !== null) reply.header('idempotency-key', incoming.key)
      return send(reply, answer)
    } catch (error) {
      if (fault?.kind === 'lost-answer') return reply.hijack().raw.destroy()
      return send(reply, refusalOf(error, incoming))
    }
  }
  app.all('/v1/*', handler)
  app.all('/v2/*', handler)
}

function work(
  world: World,
  find: (method: string, path: string) => Match | null,
  incoming: Incoming,
  request: FastifyRequest,
): { answer: Answer; replayOf: string | null } {
  const match = find(incoming.method, incoming.path)
  if (match === null) throw unknownUrl(incoming)
  checkVersion(world, request.headers['stripe-version'])
  const print = fingerprint(incoming.method, incoming.path, incoming.text)
  const known = incoming.key === null ? null : recall(world.db, incoming.key, print, sandboxNow(world))
  if (known !== null) return { answer: known, replayOf: known.requestId }
  const { page, ...given } = parseBody(incoming)
  const ask = incoming.v2 ? given : { ...given, ...(page !== undefined && { page }) }
  const params = checkRequest(world.schemas, match.route.endpoint, ask, !isJson(incoming))
  refuseUnheeded(match.route, params)
  refuseAccount(match.route, incoming)
  // The cursor of a v2 list stands in its `next_page_url`, not among the parameters of the SDK's types.
  if (incoming.v2 && page !== undefined) params.page = String(page)
  return { answer: execute(world, match, incoming, params, print, request.host), replayOf: null }
}

function execute(
  world: World,
  match: Match,
  incoming: Incoming,
  params: Params,
  print: string,
  host: string,
): Answer {
  const cause = { id: incoming.requestId, idempotencyKey: incoming.key }
  const keep = (tx: Tx, answer: Answer) => {
    if (incoming.key !== null) remember(tx.db, incoming.key, print, incoming.requestId, answer, tx.now)
    return answer
  }
  try {
    return transact(world, cause, (tx) => {
      tx.pages = `http://${host}`
      if (tx.settings.read(PAGES) !== tx.pages) tx.settings.write(PAGES, tx.pages)
      const { id, route } = match
      const result = route.answer({ tx, params, id, path: incoming.path, onBehalfOf: incoming.onBehalfOf })
      if (result instanceof ApiError) return keep(tx, refusalOf(result, incoming))
      const answer = expand(tx, result, pathsOf(params))
      checkOwn(world, match.route.endpoint, answer)
      return keep(tx, { status: 200, body: JSON.stringify(answer, null, 2) })
    })
  } catch (error) {
    const refusal = refusalOf(error, incoming)
    // Nothing was begun: the same key may try again (docs.stripe.com/api/idempotent_requests).
    if (refusal.status === 429) return refusal
    return transact(world, cause, (tx) => keep(tx, refusal))
  }
}

const expandable = fields({ expand: optional(arrayOf(text)) })

/** The paths that the answer is to be expanded by. */
function pathsOf(params: Params): string[] {
  return readAs(expandable, params, 'What is to be expanded').expand ?? []
}

/** An answer that differs from the SDK's types is the sandbox's own mistake, and is shown as one. */
function checkOwn(world: World, endpoint: string, answer: unknown): void {
  if (!world.strict) return
  const problems = checkAnswer(world.schemas, answer)
  if (problems.length > 0)
    throw new Error(`The answer of ${endpoint} differs from the SDK's types:\n${worded(problems)}`)
}

/** Everything but a balance is the platform's own here. */
function refuseAccount(route: Route, { onBehalfOf }: Incoming): void {
  if (onBehalfOf !== null && !route.forAccounts)
    throw invalid(`The payments sandbox does not carry out ${route.endpoint} for a connected account.`)
}

function checkVersion(world: World, version: unknown): void {
  if (version !== undefined && version !== world.schemas.apiVersion)
    throw invalid(
      `Invalid Stripe API version: ${String(version)}. This sandbox speaks ${world.schemas.apiVersion} only.`,
    )
}

function unknownUrl({ method, path }: Incoming): ApiError {
  return new ApiError(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
  })
}

function refusalOf(error: unknown, incoming: Incoming): Answer {
  const refusal = error instanceof ApiError ? error : ownFailure(error, incoming)
  const body = {
    ...refusal.body,
    request_log_url: `https://dashboard.stripe.com/test/logs/${incoming.requestId}`,
  }
  return { status: refusal.status, body: JSON.stringify({ error: body }, null, 2) }
}

function ownFailure(error: unknown, { method, path }: Incoming): ApiError {
  if (error instanceof SyntaxError) return invalid('Invalid request: the body is not valid JSON.')
  console.error(`The payments sandbox failed at ${method} ${path}:`, error)
  const message = error instanceof Error ? error.message : 'The sandbox failed.'
  return new ApiError(500, { type: 'api_error', message: `The payments sandbox failed: ${message}` })
}

function send(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

/**
 * Puts whole objects where the answer has ids (docs.stripe.com/api/expanding_objects). Works on a copy.
 * @throws ApiError for a path that leads nowhere or is deeper than four levels
 */
function expand(tx: Tx, answer: unknown, paths: string[]): unknown {
  if (paths.length === 0) return answer
  const copy = structuredClone(answer)
  for (const path of paths) {
    const steps = path.split('.')
    if (steps.length > DEEPEST)
      throw invalid(
        `You cannot expand more than ${DEEPEST} levels of a property. Property: ${path}`,
        'expand',
      )
    if (!walk(tx, copy, steps)) throw invalid(`This property cannot be expanded (${path}).`, 'expand')
  }
  return copy
}

/** false when the path leads nowhere. A null on the way is fine: there is nothing to expand. */
function walk(tx: Tx, node: unknown, steps: string[]): boolean {
  const [step, ...rest] = steps
  if (step === undefined || node === null) return true
  if (Array.isArray(node)) return node.every((one) => walk(tx, one, steps))
  if (!isPlainObject(node)) return false
  const value = step in node ? node[step] : onRequest(tx, node, step)
  if (value === undefined) return false
  if (value === null) return true
  const whole = Array.isArray(value) ? value.map((one) => resolve(tx, one)) : resolve(tx, value)
  if (rest.length === 0 && whole !== null && typeof whole !== 'object') return false
  node[step] = whole
  return walk(tx, whole, rest)
}

function resolve(tx: Tx, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return tx.objects.look(value) ?? value
}

function onRequest(tx: Tx, node: Record<string, unknown>, step: string): unknown {
  if (node.object === 'coupon' && step === 'applies_to') return appliesTo(tx, String(node.id))
  const type = ON_REQUEST[String(node.object)]?.[step]
  if (type === undefined) return OPTIONAL[String(node.object)]?.includes(step) ? null : undefined
  const id = String(node.id)
  const filter = type === 'subscription' ? { equal: { customer: id } } : { parent: id }
  return list(tx.objects.list(type, filter, { limit: 10 }), `/v1/${type}s?${node.object}=${id}`)
}

/** The products that a coupon is for; null: all. */
function appliesTo(tx: Tx, coupon: string): { products: string[] } | null {
  const { products } = tx.objects.notes('coupon', coupon)
  return products === undefined ? null : { products }
}

/** @throws ApiError naming the first parameter that the route does not carry out */
function refuseUnheeded({ endpoint, takes }: Route, params: Params): void {
  const { expand: _expand, ...given } = params
  const strange = unheeded(given, takes, '')
  if (strange !== null)
    throw invalid(
      `The payments sandbox does not carry out the parameter '${strange}' of ${endpoint}.`,
      strange,
    )
}

/** The path of the first field that is not among these, or null. Only objects have fields. */
function unheeded(value: unknown, takes: Fields, path: string): string | null {
  if (Array.isArray(value))
    return firstOf(value.map((one, index) => unheeded(one, takes, `${path}[${index}]`)))
  if (!isPlainObject(value)) return null
  return firstOf(
    Object.entries(value).map(([name, field]) => {
      const at = path === '' ? name : `${path}[${name}]`
      const taken = Object.hasOwn(takes, name) ? takes[name] : undefined
      if (taken === undefined) return at
      return taken.inside === undefined ? null : unheeded(field, taken.inside, at)
    }),
  )
}

function firstOf(paths: (string | null)[]): string | null {
  return paths.find((path) => path !== null) ?? null
}
