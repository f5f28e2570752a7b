import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fields, readAs, text } from '../shape/shape.ts'
import type { Schemas } from './schema.ts'

const GENERATOR = ['compiler.ts', 'convert.ts', 'generate.ts', 'roots.ts']
const CACHE = join(import.meta.dirname, '../../../.cache/stripe-types')

const described = fields({ version: text })

let loaded: Schemas | null = null

/**
 * The schema of the installed SDK: read from the cache, or made first, which takes a few seconds once per SDK version
 * and generator. The key holds both, so neither an upgrade nor a change here can be answered from an old file.
 * @throws when the SDK or the compiler is not installed
 */
export function loadSchemas(): Schemas {
  // Made by generate.ts in the version that the file's name holds, so it is what that wrote.
  loaded ??= JSON.parse(readFileSync(schemaFile(), 'utf8')) as Schemas
  return loaded
}

function schemaFile(): string {
  const file = join(CACHE, `${sdkVersion()}-${generatorHash()}.json`)
  if (existsSync(file)) return file
  mkdirSync(CACHE, { recursive: true })
  const run = spawnSync(process.execPath, [fileURLToPath(new URL('./generate.ts', import.meta.url)), file], {
    encoding: 'utf8',
  })
  // Only one schema is ever right: what an older SDK or generator left is of no use.
  for (const old of readdirSync(CACHE)) {
    if (old.endsWith('.json') && join(CACHE, old) !== file) rmSync(join(CACHE, old), { force: true })
  }
  if (run.status !== 0)
    throw new Error(`The payments sandbox could not read the Stripe SDK's types:\n${run.stderr}`)
  return file
}

function sdkVersion(): string {
  const entry = createRequire(import.meta.url).resolve('stripe')
  const description = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8')
  return readAs(described, JSON.parse(description), 'The description of the SDK').version
}

function generatorHash(): string {
  const hash = createHash('sha256')
  for (const name of GENERATOR) hash.update(readFileSync(join(import.meta.dirname, name)))
  return hash.digest('hex').slice(0, 16)
}
