import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { ApiError } from '../refusals/errors.ts'
import { isPlainObject } from '../shape/plain-object.ts'
import { checkRequest } from '../wire/check-request.ts'
import { checkAnswer } from './gate.ts'
import { loadSchemas } from './load.ts'
import { OBJECTS, REQUESTS } from './roots.ts'
import { deref, root, type Schema } from './schema.ts'
import { skeleton } from './skeleton.ts'

const schemas = loadSchemas()
/** Without the generic event, which has no specific data; its kinds are checked one by one. */
const NAMES = Object.keys(OBJECTS).filter((name) => name !== 'event')

test('the least object of each type passes the gate', () => {
  for (const name of NAMES) expect([name, checkAnswer(schemas, skeleton(schemas, name))]).toEqual([name, []])
})

test('each endpoint has a type for its parameters', () => {
  for (const endpoint of Object.keys(REQUESTS))
    expect(deref(schemas, root(schemas, `request:${endpoint}`)).type).toBe('object')
})

const TEN = [
  'customer',
  'product',
  'price',
  'checkout.session',
  'subscription',
  'invoice',
  'charge',
  'refund',
  'transfer',
  'v2.core.account',
]

function required(name: string): string {
  const fields = deref(schemas, root(schemas, `object:${name}`)).required ?? []
  const field = fields.find((one) => one !== 'object' && one !== 'id')
  if (field === undefined) throw new Error(`${name} requires nothing.`)
  return field
}

test.each(TEN)('an answer of type %s with a field removed is red', (name) => {
  const { [required(name)]: _gone, ...rest } = skeleton(schemas, name)
  expect(checkAnswer(schemas, rest)).toMatchObject([{ path: required(name), kind: 'missing' }])
})

test.each(TEN)('an answer of type %s with a field misspelt is red', (name) => {
  const { [required(name)]: value, ...rest } = skeleton(schemas, name)
  const kinds = checkAnswer(schemas, { ...rest, [`${required(name)}x`]: value }).map(({ kind }) => kind)
  expect(kinds.sort()).toEqual(['missing', 'unknown'])
})

test.each(TEN)('an answer of type %s with a field of another type is red', (name) => {
  const answer = { ...skeleton(schemas, name), livemode: 'no' }
  const problems = checkAnswer(
    schemas,
    name === 'refund'
      ? { ...skeleton(schemas, name), amount: '5' }
      : name === 'transfer'
        ? { ...answer, livemode: 1 }
        : answer,
  )
  expect(problems).toMatchObject([{ kind: 'type' }])
})

type Sample = {
  endpoint: string
  good: Record<string, unknown>
  drop: string[]
  wrong: Record<string, unknown>
}

const SAMPLES: Sample[] = [
  { endpoint: 'POST /v1/products', good: { name: 'A' }, drop: ['name'], wrong: { name: { a: '1' } } },
  {
    endpoint: 'POST /v1/prices',
    good: { currency: 'usd', unit_amount: '5' },
    drop: ['currency'],
    wrong: { unit_amount: 'five' },
  },
  {
    endpoint: 'POST /v1/transfers',
    good: { currency: 'usd', destination: 'a' },
    drop: ['destination'],
    wrong: { amount: '1.5' },
  },
  {
    endpoint: 'POST /v1/webhook_endpoints',
    good: { url: 'http://x', enabled_events: ['*'] },
    drop: ['url', 'enabled_events'],
    wrong: { enabled_events: ['bogus'] },
  },
  {
    endpoint: 'POST /v1/payment_methods/:id/attach',
    good: { customer: 'c' },
    drop: [],
    wrong: { customer: ['c'] },
  },
  {
    endpoint: 'GET /v1/subscription_items',
    good: { subscription: 's' },
    drop: ['subscription'],
    wrong: { limit: 'ten' },
  },
  {
    endpoint: 'POST /v1/billing_portal/configurations',
    good: { features: { invoice_history: { enabled: 'true' } } },
    drop: ['features'],
    wrong: { features: { invoice_history: { enabled: 'maybe' } } },
  },
  {
    endpoint: 'POST /v2/core/account_links',
    good: { account: 'a', use_case: { type: 'account_onboarding' } },
    drop: ['account', 'use_case'],
    wrong: { use_case: { type: 'bogus' } },
  },
  {
    endpoint: 'POST /v2/core/event_destinations',
    good: { name: 'n', type: 'webhook_endpoint', event_payload: 'thin', enabled_events: [] },
    drop: ['event_payload', 'name', 'type', 'enabled_events'],
    wrong: { event_payload: 7 },
  },
  {
    endpoint: 'POST /v1/checkout/sessions',
    good: { mode: 'subscription' },
    drop: [],
    wrong: { mode: 'bogus' },
  },
  {
    endpoint: 'POST /v1/subscriptions',
    good: { customer: 'c', application_fee_percent: '10.5' },
    drop: [],
    wrong: { application_fee_percent: 'abc' },
  },
  {
    endpoint: 'POST /v1/refunds',
    good: { charge: 'c', reverse_transfer: 'true' },
    drop: [],
    wrong: { reverse_transfer: '1' },
  },
]

function refusal(endpoint: string, params: Record<string, unknown>): unknown {
  try {
    checkRequest(schemas, endpoint, params, endpoint.includes('/v1/'))
    return null
  } catch (error) {
    return error instanceof ApiError ? error.body : error
  }
}

test.each(SAMPLES)(
  '$endpoint: good parameters pass; misspelt and mistyped ones are red',
  ({ endpoint, good, wrong }) => {
    expect(refusal(endpoint, good)).toBeNull()
    expect(refusal(endpoint, { ...good, bogus: '1' })).toMatchObject({
      code: 'parameter_unknown',
      param: 'bogus',
    })
    const [name] = Object.keys(wrong)
    expect(refusal(endpoint, { ...good, ...wrong })).toMatchObject({
      param: expect.stringContaining(name ?? ''),
    })
  },
)

const DROPS = SAMPLES.flatMap(({ endpoint, good, drop }) => drop.map((name) => ({ endpoint, good, name })))

test.each(DROPS)('$endpoint without $name is red', ({ endpoint, good, name }) => {
  const { [name]: _gone, ...rest } = good
  expect(refusal(endpoint, rest)).toMatchObject({ code: 'parameter_missing', param: name })
})

test.each([
  ['payment_method_types[0]', { mode: 'subscription', payment_method_types: ['card'] }],
  [
    'subscription_data[transfer_data][dest]',
    { mode: 'subscription', subscription_data: { transfer_data: { destination: 'a', dest: 'a' } } },
  ],
  ['line_items[0][quantity]', { mode: 'subscription', line_items: { 0: { price: 'p', quantity: 'two' } } }],
])('checkout refuses %s by its path', (path, params) => {
  expect(refusal('POST /v1/checkout/sessions', params)).toMatchObject({
    param: path.replace('payment_method_types[0]', 'payment_method_types'),
  })
})

test('the own checker agrees with an independent one', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'sdk', $defs: schemas.$defs })
  const independent = (schema: Schema) => ajv.compile({ $ref: `sdk${schema.$ref}` })
  for (const name of ['customer', 'product', 'price', 'transfer', 'refund', 'subscription']) {
    const valid = independent(root(schemas, `object:${name}`))
    for (const candidate of spoilt(skeleton(schemas, name))) {
      const own = checkAnswer(schemas, candidate).length === 0
      expect([name, JSON.stringify(candidate), own]).toEqual([
        name,
        JSON.stringify(candidate),
        valid(candidate),
      ])
    }
  }
})

/** The object itself, and copies with one field each removed, renamed or of another type. */
function spoilt(object: Record<string, unknown>): Record<string, unknown>[] {
  const fields = Object.keys(object).filter((name) => name !== 'object')
  return [
    object,
    ...fields.flatMap((name) => {
      const { [name]: value, ...rest } = object
      const other = typeof value === 'number' ? 'text' : isPlainObject(value) ? 7 : [value]
      return [rest, { ...rest, [`${name}_`]: value }, { ...object, [name]: other }]
    }),
  ]
}
