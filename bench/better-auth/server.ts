/** The peer of the sign-in benchmark: better-auth with e-mail codes on PostgreSQL, as its guide sets it up, no limits. */
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { emailOTP } from 'better-auth/plugins'
import pg from 'pg'

const port = Number(process.env.PORT)
const codes = new Map<string, string>()
const auth = betterAuth({
  baseURL: `http://127.0.0.1:${port}`,
  secret: 'a secret of the benchmark and of nobody else',
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }),
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  plugins: [emailOTP({ sendVerificationOTP: async ({ email, otp }) => void codes.set(email, otp) })],
})
const { runMigrations } = await getMigrations(auth.options)
await runMigrations()
const handle = toNodeHandler(auth)
createServer((request, response) => {
  if (request.url !== '/codes') return handle(request, response)
  const text = JSON.stringify(Object.fromEntries(codes))
  codes.clear()
  response.end(text)
}).listen(port, '127.0.0.1', () => console.log('ready'))
