import { REQUESTS } from '../../sandbox/src/stripe/gate/roots.ts'
import { saidBy, unsentRequests } from './needed-requests.ts'
import type { RecordedCall } from './record-calls.ts'
import { lacksOf, type Operations, operationsOf, type Specification } from './specification.ts'

/** A parameter that stripe-mock cannot know yet: it is left out, and the rest of the request has to be accepted. */
export type KnownDifference = { operation: string; parameter: string; reason: string }

export const EXCEPTIONS: readonly KnownDifference[] = [
  {
    operation: 'POST /v1/checkout/sessions',
    parameter: 'allowed_payment_method_types',
    reason:
      'took the place of payment_method_types in 2026-09-30.endive, which is newer than the specification',
  },
  {
    operation: 'POST /v1/webhook_endpoints',
    parameter: 'api_version',
    reason: "the SDK's 2026-10-28.endive is newer than the specification, which lists the versions before it",
  },
]

/** Endpoints of the sandbox that no call can reach with success, with the reason. */
const NEVER_DONE = new Map([
  [
    'POST /v1/subscriptions/:id/resume',
    'no subscription of the sandbox is ever paused, so it always refuses',
  ],
  ['DELETE /v1/invoices/:id', 'every invoice of the sandbox is of a subscription, so it always refuses'],
])

export type Verdict = {
  /** Calls that both were asked. */
  replayed: number
  /** How many of those the product's client sent (its tests look with it too), and how many different operations they were. */
  byProduct: number
  productOperations: number
  /** Answers of ours that were held against the specification. */
  answers: number
  /** Calls of v2, which the specification does not describe. */
  notDescribed: number
  /** Faults to be mended, one line each, with how often each was seen. */
  complaints: Map<string, number>
}

/**
 * Asks stripe-mock what was asked of the sandbox, and holds the sandbox's answers against the specification. Replayed is
 * what the sandbox did, and of the product also what the sandbox refused for its state, such as an id that is gone: the
 * request was well-formed all the same.
 */
export async function judgeCalls(
  specification: Specification,
  mockUrl: string,
  calls: readonly RecordedCall[],
): Promise<Verdict> {
  const operations = operationsOf(specification)
  const complaints = new Map<string, number>()
  const complain = (text: string) => complaints.set(text, (complaints.get(text) ?? 0) + 1)
  const verdict: Verdict = {
    replayed: 0,
    byProduct: 0,
    productOperations: 0,
    answers: 0,
    notDescribed: 0,
    complaints,
  }
  const ofProduct = new Map<string, Set<string>>()
  const needed = new Set<KnownDifference>()
  for (const call of calls) {
    const done = call.status === 200
    if (!done && !(call.byProduct && call.status < 500)) continue
    if (call.url.startsWith('/v2/')) {
      verdict.notDescribed += 1
      continue
    }
    const operation = operations.find(call.method, pathOf(call))
    if (operation === null) {
      complain(`${call.method} ${pathOf(call)} is no operation of the specification`)
      continue
    }
    verdict.replayed += 1
    if (call.byProduct) verdict.byProduct += 1
    const refused = await replay(mockUrl, operation, call, needed)
    for (const text of refused) complain(text)
    if (call.byProduct) {
      const said = ofProduct.get(operation) ?? new Set<string>()
      ofProduct.set(operation, said)
      if (refused.length === 0) for (const text of saidBy(call)) said.add(text)
    }
    if (!done) continue
    verdict.answers += 1
    for (const text of lacksOf(specification, operation, JSON.parse(call.answer))) complain(text)
  }
  verdict.productOperations = ofProduct.size
  const lacking = [
    ...staleExceptions(needed),
    ...unseenEndpoints(calls, operations),
    ...unsentRequests(ofProduct),
  ]
  for (const text of lacking) complain(text)
  return verdict
}

/** @returns the complaints of stripe-mock about the request; `needed` gets the exceptions without which it refuses */
async function replay(
  mockUrl: string,
  operation: string,
  call: RecordedCall,
  needed: Set<KnownDifference>,
): Promise<string[]> {
  const refusal = await ask(mockUrl, call)
  if (refusal === null) return []
  const body = new URLSearchParams(call.body)
  const excepted = EXCEPTIONS.filter(
    (one) => one.operation === operation && namesOf(body, one.parameter).length > 0,
  )
  for (const { parameter } of excepted) for (const name of namesOf(body, parameter)) body.delete(name)
  const second = excepted.length === 0 ? refusal : await ask(mockUrl, { ...call, body: body.toString() })
  if (second !== null) return [`${operation} is refused by stripe-mock: ${second}`]
  for (const one of excepted) needed.add(one)
  return []
}

/** The names under which a form holds a parameter: its own, or those of its items and fields. */
function namesOf(body: URLSearchParams, parameter: string): string[] {
  return [...body.keys()].filter((name) => name === parameter || name.startsWith(`${parameter}[`))
}

async function ask(mockUrl: string, { method, url, body, type }: RecordedCall): Promise<string | null> {
  const answer = await fetch(`${mockUrl}${url}`, {
    method,
    body: body === '' ? null : body,
    headers: { authorization: 'Bearer sk_test_123', ...(type !== '' && { 'content-type': type }) },
    signal: AbortSignal.timeout(20_000),
  })
  const text = await answer.text()
  if (answer.ok) return null
  // Its address in memory makes each sentence another one.
  return String((JSON.parse(text) as { error: { message: string } }).error.message).replace(
    / 0x[0-9a-f]+/g,
    '',
  )
}

function staleExceptions(needed: ReadonlySet<KnownDifference>): string[] {
  return EXCEPTIONS.filter((one) => !needed.has(one)).map(
    ({ operation, parameter }) => `the exception for ${parameter} of ${operation} is not needed any more`,
  )
}

/** Endpoints of the sandbox that nothing recorded has ever reached with success, so that nobody judged their answers. */
function unseenEndpoints(calls: readonly RecordedCall[], operations: Operations): string[] {
  const seen = new Set(
    calls.filter(({ status }) => status === 200).map((call) => operations.find(call.method, pathOf(call))),
  )
  return Object.keys(REQUESTS)
    .filter((endpoint) => !endpoint.includes(' /v2/') && !NEVER_DONE.has(endpoint))
    .filter((endpoint) => {
      const [method = '', path = ''] = endpoint.split(' ')
      return !seen.has(operations.find(method, path.replace(':id', 'id_1')))
    })
    .map((endpoint) => `${endpoint} was not among the recorded calls`)
}

function pathOf({ url }: RecordedCall): string {
  return url.split('?')[0] ?? ''
}
