import { ENDPOINT_SUMMARIES } from '@tradepost/contract/endpoint-summaries'
import { type Endpoint, endpoints } from '@tradepost/contract/endpoints'
import { REFUSALS, type RefusalCode } from '@tradepost/contract/errors'
import { API_BODY_MAX_BYTES } from '@tradepost/contract/limits'
import * as z from 'zod'

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

/** The product API as an OpenAPI 3.1 document, made from the contract: it cannot say anything that the server does not. */
export function openApiDocument(origin: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, endpoint] of Object.entries(endpoints) as [keyof typeof endpoints, Endpoint][]) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operation(name, endpoint),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tradepost',
      version: '1',
      description: 'The product API. Errors carry a code from a closed list.',
    },
    servers: [{ url: origin }],
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
  }
}

function operation(name: keyof typeof endpoints, endpoint: Endpoint): object {
  return {
    operationId: name,
    summary: ENDPOINT_SUMMARIES[name],
    parameters: [
      ...(endpoint.params ? parameters('path', endpoint.params) : []),
      ...(endpoint.query ? parameters('query', endpoint.query) : []),
    ],
    ...(endpoint.body && {
      requestBody: {
        description: `At most ${API_BODY_MAX_BYTES} bytes. Fields that are not named here are ignored.`,
        required: true,
        content: json(endpoint.body, 'input'),
      },
    }),
    responses: {
      [endpoint.status ?? 200]: { description: 'Success', content: json(endpoint.answer) },
      ...(endpoint.method === 'GET' && {
        304: { description: 'The answer is still the one whose `ETag` was sent in `If-None-Match`.' },
      }),
      ...refusalResponses([...endpoint.refusals, ...COMMON_REFUSALS]),
    },
  }
}

function json(schema: z.core.$ZodType, io: 'input' | 'output' = 'output'): object {
  return { 'application/json': { schema: z.toJSONSchema(schema, { target: 'draft-2020-12', io }) } }
}

function parameters(place: 'path' | 'query', schema: z.core.$ZodType): object[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }))
}

function refusalResponses(codes: RefusalCode[]): Record<number, object> {
  const responses: Record<number, object> = {}
  for (const status of new Set(codes.map((code) => REFUSALS[code].status))) {
    const ofStatus = codes.filter((code) => REFUSALS[code].status === status)
    responses[status] = {
      description: ofStatus.map((code) => `\`${code}\`: ${REFUSALS[code].message}`).join('\n\n'),
      content: { 'application/json': { schema: errorSchema(ofStatus) } },
    }
  }
  return responses
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
