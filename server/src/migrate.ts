/** `npm run migrate`: applies the migrations to DATABASE_URL, past a pooler where DATABASE_DIRECT_URL is set; for operators who migrate before they deploy. */
import { existsSync } from 'node:fs'
import { readEnv } from './platform/env.ts'
import { makeLog } from './platform/log.ts'
import { migrate } from './platform/upgrade/migrate.ts'

if (existsSync('.env')) process.loadEnvFile('.env')
const { DATABASE_DIRECT_URL, DATABASE_URL, LOG_LEVEL } = readEnv(process.env)
if (!DATABASE_URL) {
  process.stderr.write('DATABASE_URL is not set; the embedded database migrates itself at every start.\n')
  process.exit(1)
}
await migrate(DATABASE_DIRECT_URL ?? DATABASE_URL, makeLog(LOG_LEVEL, true))
process.stdout.write('The database is up to date.\n')
