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
