import { expect, test } from 'vitest'
import { loadSchemas } from '../gate/load.ts'
import { deref, root } from '../gate/schema.ts'
import { KINDS } from './kinds.ts'

test('every field that the sandbox reads of one of Stripe’s objects is a field of the SDK’s type', () => {
  const schemas = loadSchemas()
  const strange = Object.entries(KINDS)
    // Events are checked by their types; the sandbox's own objects are unknown to the SDK.
    .filter(([kind]) => !kind.startsWith('sandbox.') && kind !== 'v2.core.event')
    .flatMap(([kind, { inside = {} }]) => {
      const known = deref(schemas, root(schemas, `object:${kind}`)).properties ?? {}
      return Object.keys(inside)
        .filter((name) => !Object.hasOwn(known, name))
        .map((name) => `${kind}.${name}`)
    })
  expect(strange).toEqual([])
})
