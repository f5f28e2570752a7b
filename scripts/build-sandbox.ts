/**
 * Makes what the payments sandbox needs at its start: the schema of the installed Stripe SDK, read from its types. Takes
 * a few seconds once for each version of the SDK.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadSchemas } from '../sandbox/src/stripe/gate/load.ts'

mkdirSync(join(import.meta.dirname, '../sandbox/.cache'), { recursive: true })
loadSchemas()
