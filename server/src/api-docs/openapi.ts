import type { Endpoint } from '@tradepost/contract/endpoint'
import { ENDPOINT_REFUSALS } from '@tradepost/contract/endpoint-refusals'
import { ENDPOINT_SUMMARIES } from '@tradepost/contract/endpoint-summaries'
import { endpoints } from '@tradepost/contract/endpoints'
import { type ApiError, REFUSALS, type RefusalCode, refusalMessage } from '@tradepost/contract/errors'
import { examples } from '@tradepost/contract/examples'
import { API_BODY_MAX_BYTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { RECORD_CALLS, type RecordCall } from './record-calls.ts'

/** Refusals that every call can answer. */
const COMMON_REFUSALS = [
  'bad_request',
  'unauthorized',
  'second_factor_required',
  'account_suspended',
  'payload_too_large',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies RefusalCode[]

/** The subjects of the calls, by the second part of their path. */
const TAGS = {
  accounts: 'Accounts',
  following: 'Following',
  subscriptions: 'Subscriptions',
  positions: 'Positions',
  symbols: 'Symbols',
  marks: 'Marks',
  activity: 'Activity',
  feed: 'Live feed',
  traders: 'Traders',
  leaderboard: 'Leaderboard',
  feedback: 'Feedback',
  push: 'Notifications',
  record: 'Record',
} as const

const DESCRIPTION = `Every call but those of the record carries an access token of the sign-in at \`/auth/v1\`: \`Authorization: Bearer <token>\`. \
Bodies and answers are JSON in UTF-8, dates ISO 8601 in UTC. A refusal has a code from a closed list and one sentence for people.

\`/status.json\` needs no token. \`day\` and \`week\` are of the last 24 hours and seven days: \`half\`, \`most\` and \`nearlyAll\` are the seconds within \
which 50, 95 and 99 percent of the mails about events were taken by a mail server, from publishing on; null without a mail. \`lastMonth\` is of the \
calendar month (UTC) before this one: \`mails\` and \`events\` are counts, rounded down to tens; \`returnedMonths\`, where empty months go back by \
themselves, is how many paid months went back, in words, in tens.`

/** The product API as an OpenAPI 3.1 document, made from the contract, so that it cannot contradict the server. */
export function openApiDocument(origin: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, endpoint] of Object.entries(endpoints) as [keyof typeof endpoints, Endpoint][]) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operation(name, endpoint),
    }
  }
  for (const call of RECORD_CALLS) paths[call.path] = { get: recordOperation(call) }
  return {
    openapi: '3.1.0',
    info: { title: 'Tradepost', version: '1', description: DESCRIPTION },
    tags: Object.values(TAGS).map((name) => ({ name })),
    servers: [{ url: origin }],
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
  }
}

/** An example of a call: the request and the answer. */
type ShownExample = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  answer: unknown
}

function operation(name: keyof typeof endpoints, endpoint: Endpoint): object {
  const example = (examples as Record<string, ShownExample>)[name]
  if (!example) throw new Error(`The call ${name} has no example`)
  return {
    operationId: name,
    tags: [tagOf(endpoint.path)],
    summary: ENDPOINT_SUMMARIES[name],
    parameters: [
      ...(endpoint.params ? parameters('path', endpoint.params, example.params) : []),
      ...(endpoint.query ? parameters('query', endpoint.query, example.query) : []),
    ],
    ...(endpoint.body && {
      requestBody: {
        description: `At most ${API_BODY_MAX_BYTES} bytes. Fields that are not named here are ignored.`,
        required: true,
        content: json(endpoint.body, 'input', example.body),
      },
    }),
    responses: {
      [endpoint.status ?? 200]: {
        description: 'Success',
        content: json(endpoint.answer, 'output', example.answer, endpoint.streams && 'text/event-stream'),
      },
      ...(endpoint.method === 'GET' &&
        !endpoint.streams && {
          304: { description: 'The answer is still the one whose `ETag` was sent in `If-None-Match`.' },
        }),
      ...refusalResponses([...ENDPOINT_REFUSALS[name], ...COMMON_REFUSALS]),
    },
  }
}

/** A document of the record: everybody may ask for it. */
function recordOperation({ answer, example, name, parameters, refusals, summary }: RecordCall): object {
  const content =
    'type' in answer
      ? { [answer.type]: { schema: { type: 'string' }, example } }
      : json(answer.schema, 'output', example)
  return {
    operationId: name,
    tags: [TAGS.record],
    summary,
    security: [],
    parameters: Object.entries(parameters).map(([field, { example: value, place }]) => ({
      name: field,
      in: place,
      required: true,
      schema: typeof value === 'number' ? { type: 'integer', minimum: 0 } : { type: 'string' },
      example: value,
    })),
    responses: {
      200: { description: 'Success', content },
      ...refusalResponses([...refusals, 'bad_request', 'rate_limited', 'internal', 'unavailable']),
    },
  }
}

/** @throws for a path about something that has no name yet */
function tagOf(path: string): string {
  const topic = path.split('/')[2] ?? ''
  const tag = (TAGS as Record<string, string>)[topic]
  if (!tag) throw new Error(`No tag for ${path}`)
  return tag
}

function json(
  schema: z.core.$ZodType,
  io: 'input' | 'output',
  example: unknown,
  type = 'application/json',
): object {
  return { [type]: { schema: z.toJSONSchema(schema, { target: 'draft-2020-12', io }), example } }
}

function parameters(
  place: 'path' | 'query',
  schema: z.core.$ZodType,
  example: Record<string, unknown> = {},
): object[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
    example: example[name],
  }))
}

/** By status: which codes it can carry, each with its sentence and the whole answer. */
function refusalResponses(codes: RefusalCode[]): Record<number, object> {
  const responses: Record<number, object> = {}
  for (const status of new Set(codes.map((code) => REFUSALS[code].status))) {
    const ofStatus = codes.filter((code) => REFUSALS[code].status === status)
    responses[status] = {
      description: ofStatus.map((code) => `\`${code}\`: ${sentenceOf(code)}`).join('\n\n'),
      content: {
        'application/json': {
          schema: errorSchema(ofStatus),
          examples: Object.fromEntries(ofStatus.map((code) => [code, { value: refusalExample(code) }])),
        },
      },
    }
  }
  return responses
}

/** As a person would read it; sentences about a ticker name one. */
function sentenceOf(code: RefusalCode): string {
  return refusalMessage(code, { symbol: 'AAPL', currency: 'USD', from: '$3.00', to: '$500.00' })
}

function refusalExample(code: RefusalCode): ApiError {
  const example = { message: sentenceOf(code), code, requestId: '019aa1c2-3c11-7b4e-8f60-7d2b9e5a1c04' }
  return code === 'price_moved' ? { ...example, ...examples.preview.answer } : example
}

function errorSchema(codes: RefusalCode[]): object {
  return {
    type: 'object',
    required: ['message', 'code', 'requestId'],
    properties: {
      message: { type: 'string' },
      code: { type: 'string', enum: [...new Set(codes)] },
      requestId: { type: 'string' },
    },
  }
}
