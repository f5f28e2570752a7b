/** `.env.example` documents every variable of the environment's schema, and no other; exit 1 names the differences. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '../server/src/platform/env.ts'

const text = readFileSync(join(import.meta.dirname, '../.env.example'), 'utf8')
const documented = new Set([...text.matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map((match) => match[1] ?? ''))
const known = new Set(Object.keys(variables))
const missing = [...known].filter((name) => !documented.has(name))
const unknown = [...documented].filter((name) => !known.has(name))
for (const name of missing) console.error(`.env.example does not document ${name}`)
for (const name of unknown) console.error(`.env.example documents ${name}, which nothing reads`)
process.exit(missing.length + unknown.length === 0 ? 0 : 1)
