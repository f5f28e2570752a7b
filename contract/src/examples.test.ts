import { expect, test } from 'vitest'
import type * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import type { Example } from './example.ts'
import { examples } from './examples.ts'
import { HOLD_LENGTHS } from './hold-length.ts'
import { checkFeedback, checkNotes } from './limits.ts'
import { checkSymbol } from './symbol.ts'
import { checkUsername } from './username.ts'

type Parts = Partial<Record<'params' | 'query' | 'body' | 'answer', Record<string, unknown>>>

/** Every schema of every call, with the example's value for it. */
const cases = Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) => {
  const example = (examples as unknown as Record<string, Example & Parts>)[name]
  return (['params', 'query', 'body', 'answer'] as const)
    .filter((part) => endpoint[part])
    .map((part) => ({
      what: `${name} ${part}`,
      schema: endpoint[part] as z.ZodMiniType,
      given: example?.[part],
    }))
})

test('every example is what its schema takes, with nothing that the schema does not name', () => {
  expect(cases.length).toBeGreaterThan(30)
  // Parsing takes away what the schema does not name.
  for (const { what, schema, given } of cases) expect(schema.parse(given), what).toEqual(given)
})

/** Of a choice between schemas the one that takes the example. */
function variantOf(schema: z.ZodMiniType, given: unknown): z.ZodMiniType {
  const { options } = schema.def as { options?: z.ZodMiniType[] }
  return options?.find((option) => option.safeParse(given).success) ?? schema
}

test('every example shows each field of an answer, optional ones too', () => {
  for (const { what, schema, given } of cases) {
    const { shape = {} } = variantOf(schema, given) as { shape?: object }
    expect(Object.keys(given ?? {}).sort(), what).toEqual(Object.keys(shape).sort())
  }
})

test('every example of a request keeps the rules that judge beyond the schemas', () => {
  const rules: Record<string, (value: string) => unknown> = {
    username: checkUsername,
    symbol: checkSymbol,
    openNotes: checkNotes,
    closeNotes: checkNotes,
    feedback: checkFeedback,
    key: (key) => (key.length === 43 ? null : 'preview_invalid'),
    positionLength: (length) => (HOLD_LENGTHS.some((known) => known === length) ? null : 'invalid_length'),
  }
  const requests = cases.filter(({ what }) => !what.endsWith('answer'))
  for (const { what, given } of requests) {
    for (const [field, value] of Object.entries(given ?? {})) {
      if (typeof value === 'string' && rules[field])
        expect(rules[field](value), `${what} ${field}`).toBeNull()
    }
  }
})

test('the example of switching mails answers with what it asked for', () => {
  const { answer, body } = examples.switchSubscriptionMail
  expect([body.enabled, answer.mailEnabled]).toEqual([false, false])
})

test('the examples show the same trader wherever they show one', () => {
  const { averageProfit, closedPositions, openPositions, username } = examples.search.answer
  expect(examples.profile.answer).toMatchObject({ averageProfit, closedPositions, openPositions, username })
})
