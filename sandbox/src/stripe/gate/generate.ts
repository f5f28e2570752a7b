import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readAs, text } from '../shape/shape.ts'
import { check } from './compiler.ts'
import { makeConverter } from './convert.ts'
import { DELETED, OBJECTS, REQUESTS, SNAPSHOT_EVENTS, THIN_EVENTS } from './roots.ts'
import type { Schema, Schemas } from './schema.ts'

/**
 * Run as a program: `node generate.ts <file>` reads the installed SDK's types and writes the schema there, whole or
 * not at all. A separate process, because the compiler needs several hundred megabytes that a server should not keep.
 */
const output = process.argv[2]
if (output === undefined) throw new Error('Usage: node generate.ts <file>')
mkdirSync(dirname(output), { recursive: true })
const partial = `${output}.${process.pid}`
writeFileSync(partial, JSON.stringify(generate()))
renameSync(partial, output)

function generate(): Schemas {
  const lines = [
    ...Object.entries(OBJECTS).map(([name, type]) => member(`object:${name}`, type)),
    ...Object.entries(DELETED).map(([name, type]) => member(`deleted:${name}`, type)),
    ...Object.entries(REQUESTS).map(([name, type]) => member(`request:${name}`, type)),
    ...SNAPSHOT_EVENTS.map((type) => member(`event:${type}`, extract('Stripe.Event', type))),
    ...THIN_EVENTS.map((type) =>
      member(`notification:${type}`, extract('Stripe.V2.Core.EventNotification', type)),
    ),
    ...THIN_EVENTS.map((type) => member(`v2event:${type}`, extract('Stripe.V2.Core.Event', type))),
  ]
  const source = `import type Stripe from 'stripe'\nexport interface Roots {\n${lines.join('\n')}\n}\n`
  const { checker, statements, place } = check(join(import.meta.dirname, 'roots-of-the-sdk.ts'), source)
  const { convert, $defs } = makeConverter(checker, place)
  const roots: Record<string, Schema> = {}
  const members = statements.find((one) => one.name?.text === 'Roots')?.members ?? []
  for (const one of members) {
    const name = one.name?.text ?? ''
    const schema = convert(checker.getTypeAtLocation(one))
    if (schema.$ref === undefined) throw new Error(`${name} is not an object type in the SDK.`)
    roots[name] = schema
  }
  return { ...versions(), roots, $defs }
}

function member(name: string, type: string): string {
  return `  ${JSON.stringify(name)}: ${type}`
}

/** The member of a union of events that has this type. */
function extract(union: string, type: string): string {
  return `Extract<${union}, { type: '${type}' }>`
}

function versions(): { sdk: string; apiVersion: string } {
  const load = createRequire(import.meta.url)
  const { PACKAGE_VERSION, API_VERSION } = load('stripe')
  return {
    sdk: readAs(text, PACKAGE_VERSION, 'The version of the SDK'),
    apiVersion: readAs(text, API_VERSION, 'The version of the API'),
  }
}
