import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
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
  const wanted = Object.fromEntries([
    ...Object.entries(OBJECTS).map(([name, type]) => [`object:${name}`, type]),
    ...Object.entries(DELETED).map(([name, type]) => [`deleted:${name}`, type]),
    ...Object.entries(REQUESTS).map(([name, type]) => [`request:${name}`, type]),
    ...SNAPSHOT_EVENTS.map((type) => [`event:${type}`, `Extract<Stripe.Event, { type: '${type}' }>`]),
    ...THIN_EVENTS.map((type) => [
      `notification:${type}`,
      `Extract<Stripe.V2.Core.EventNotification, { type: '${type}' }>`,
    ]),
    ...THIN_EVENTS.map((type) => [`v2event:${type}`, `Extract<Stripe.V2.Core.Event, { type: '${type}' }>`]),
  ]) as Record<string, string>
  const lines = Object.entries(wanted).map(([name, type]) => `  ${JSON.stringify(name)}: ${type}`)
  const text = `import type Stripe from 'stripe'\nexport interface Roots {\n${lines.join('\n')}\n}\n`
  const { checker, statements, place } = check(join(import.meta.dirname, 'roots-of-the-sdk.ts'), text)
  const { convert, $defs } = makeConverter(checker, place)
  const roots: Record<string, Schema> = {}
  const members = statements.find((one) => one.name?.text === 'Roots')?.members ?? []
  for (const member of members) {
    const name = member.name?.text ?? ''
    const schema = convert(checker.getTypeAtLocation(member))
    if (schema.$ref === undefined) throw new Error(`${name} is not an object type in the SDK.`)
    roots[name] = schema
  }
  return { ...versions(), roots, $defs }
}

function versions(): { sdk: string; apiVersion: string } {
  const load = createRequire(import.meta.url)
  const stripe = load('stripe') as { PACKAGE_VERSION: string; API_VERSION: string }
  return { sdk: stripe.PACKAGE_VERSION, apiVersion: stripe.API_VERSION }
}
