import { ENDPOINT_REFUSALS } from '@tradepost/contract/endpoint-refusals'
import { endpoints } from '@tradepost/contract/endpoints'
import { REFUSALS } from '@tradepost/contract/errors'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { documentedFields, type Field } from '../../test/product/documented-calls.ts'
import { openApiDocument } from './openapi.ts'
import { RECORD_CALLS } from './record-calls.ts'

test('the API document holds every call of the contract with its answer and its refusals', () => {
  const document = openApiDocument('https://tradepost.example') as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
  }
  const calls = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const ofRecord = RECORD_CALLS.map(({ name }) => name)
  expect(calls.map((call) => call.operationId).sort()).toEqual(
    [...Object.keys(endpoints), ...ofRecord].sort(),
  )
  const open = document.paths['/v1/positions/open']?.post
  expect(Object.keys(open?.responses ?? {})).toEqual([
    '201',
    '400',
    '401',
    '403',
    '409',
    '413',
    '422',
    '429',
    '500',
    '503',
  ])
  expect(JSON.stringify(open?.responses['409'])).toContain('position_exists')
})

type Operation = {
  operationId: string
  parameters: { name: string; schema: Field }[]
  requestBody?: {
    description: string
    content: {
      'application/json': { schema: { properties: Record<string, Field>; additionalProperties?: boolean } }
    }
  }
}

test('the API document states the limits of what is sent', () => {
  const requests = documentedFields()
  const ticker = { minLength: 1, maxLength: 10, pattern: '^[A-Za-z][A-Za-z0-9.-]*$' }
  const notes = { type: 'string', minLength: 10, maxLength: 500 }
  const username = { type: 'string', minLength: 3, maxLength: 15, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$' }
  const key = { type: 'string', minLength: 43, maxLength: 43 }
  expect(requests.preview).toMatchObject({ symbol: ticker })
  expect(requests.openPosition).toMatchObject({
    symbol: ticker,
    key,
    openNotes: notes,
    positionLength: {
      enum: [
        'less_than_one_week',
        'one_to_three_weeks',
        'one_to_three_months',
        'three_to_six_months',
        'more_than_six_months',
      ],
    },
  })
  expect(requests.closePosition).toMatchObject({ symbol: ticker, key, closeNotes: notes })
  expect(requests.sendFeedback).toMatchObject({ feedback: notes })
  for (const call of ['setUsername', 'newSubscription', 'search', 'profile']) {
    expect(requests[call], call).toMatchObject({ username })
  }
  expect(requests.subscriptionCheck).toMatchObject({ id: { minLength: 3, maxLength: 36 } })
})

test('no call takes a text without a limit in the document', () => {
  for (const [call, fields] of Object.entries(documentedFields())) {
    for (const [name, field] of Object.entries(fields)) {
      if (field.type !== 'string') continue
      expect(field.maxLength ?? field.enum, `${call} ${name}`).toBeDefined()
    }
  }
})

test('the document states that unknown fields are ignored, and how long a body may be', () => {
  const { paths } = openApiDocument('https://tradepost.example') as {
    paths: Record<string, Record<string, Operation>>
  }
  const body = paths['/v1/positions/open']?.post?.requestBody
  expect(body?.description).toBe('At most 16384 bytes. Fields that are not named here are ignored.')
  expect(body?.content['application/json'].schema).not.toHaveProperty('additionalProperties')
})

type Responses = Record<
  string,
  {
    description: string
    content?: Record<
      'application/json' | 'text/event-stream',
      { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
    >
  }
>

/** The calls with their answers. */
function responsesOf(): Record<string, Responses> {
  const { paths } = openApiDocument('https://tradepost.example') as {
    paths: Record<string, Record<string, { operationId: string; responses: Responses }>>
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  return Object.fromEntries(operations.map(({ operationId, responses }) => [operationId, responses]))
}

test('every answer of the document has an example that its own schema takes', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const [call, responses] of Object.entries(responsesOf())) {
    for (const [status, { content }] of Object.entries(responses)) {
      if (status === '304') continue
      const { schema = false, example, examples } = Object.values(content ?? {})[0] ?? {}
      const shown = examples ? Object.values(examples).map(({ value }) => value) : [example]
      expect(shown.length, `${call} ${status}`).toBeGreaterThan(0)
      for (const one of shown) {
        expect(ajv.validate(schema, one), `${call} ${status} ${ajv.errorsText()}`).toBe(true)
      }
    }
  }
})

test('every refusal of a call stands at its status, with its code and its sentence', () => {
  const { openPosition, preview } = responsesOf()
  expect(openPosition?.['409']?.content?.['application/json'].examples).toMatchObject({
    market_closed: { value: { code: 'market_closed', message: 'The market is currently closed.' } },
    position_exists: {
      value: {
        code: 'position_exists',
        message: 'You already have an open position in AAPL. Close it before opening another.',
      },
    },
  })
  expect(preview?.['404']?.description).toBe("`symbol_not_found`: We couldn't find a price for AAPL.")
  for (const [call, refusals] of Object.entries(ENDPOINT_REFUSALS)) {
    for (const code of refusals) {
      const { status } = REFUSALS[code]
      const shown = responsesOf()[call]?.[status]?.content?.['application/json'].examples ?? {}
      expect(Object.keys(shown), `${call} ${status}`).toContain(code)
    }
  }
})
