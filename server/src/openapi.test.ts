import { endpoints } from '@tradepost/contract/endpoints'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'

test('the API document holds every call of the contract with its answer and its refusals', () => {
  const document = openApiDocument('https://tradepost.example') as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
  }
  const calls = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  expect(calls.map((call) => call.operationId).sort()).toEqual(Object.keys(endpoints).sort())
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

type Field = {
  type: string
  description?: string
  minLength?: number
  maxLength?: number
  pattern?: string
  enum?: string[]
}
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

/** What a call takes, by field: in its path, its query and its body. */
function requestsOf(): Record<string, Record<string, Field>> {
  const { paths } = openApiDocument('https://tradepost.example') as {
    paths: Record<string, Record<string, Operation>>
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  return Object.fromEntries(
    operations.map(({ operationId, parameters, requestBody }) => [
      operationId,
      {
        ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
        ...requestBody?.content['application/json'].schema.properties,
      },
    ]),
  )
}

test('the API document states the limits of what is sent', () => {
  const requests = requestsOf()
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
  for (const [call, fields] of Object.entries(requestsOf())) {
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
