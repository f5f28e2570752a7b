import { hash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { join, resolve } from 'node:path'
import type { MarketOverride } from '@tradepost/contract/market-hours'
import { PRICE_RIGHTS } from '@tradepost/contract/price-rights'
import { TAX_LIABLE } from '@tradepost/contract/tax'
import { readVerifierKey } from '@tradepost/record/note'
import * as z from 'zod'
import { BOUNCE_NAME_MAX_LENGTH } from './return-path.ts'

const port = z.coerce.number().int().min(0).max(65_535)
const WHOLE_CENTS = 'must be whole cents from 0, which returns nothing by itself, to 99999999'
const count = z.coerce.number().int().min(1)
const url = z.url({ protocol: /^https?$/ })
/** One secret, or several with commas between while one replaces another. */
const secrets = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .refine((list) => list.every((secret) => secret.length >= 16), { message: 'is too short for a secret' })
/** The folder stands in the path, INBOX where there is none. */
const imapUrl = z.url({ protocol: /^imaps?$/ })
const smtpUrl = z.url({ protocol: /^smtps?$/ })

/** Every variable that the product reads; `.env.example` documents each and `npm run check` compares the two. */
export const variables = {
  NODE_ENV: z.enum(['development', 'production', 'test']).optional(),
  SANDBOX: z.literal('on').optional(),
  SANDBOX_PORT: port.default(3001),
  SANDBOX_SMTP_PORT: port.default(3025),
  CLOCK_FILE: z.string().optional(),
  PUSH_LOOPBACK: z.literal('on').optional(),
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  APP_URL: url.optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_DIRECT_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_READ_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_POOL_SIZE: count.default(10),
  PG_BIN: z.string().optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: z.string().optional(),
  SMTP_CONNECTIONS: count.default(10),
  // A token stands behind its local part, which has 64 characters in all.
  BOUNCE_ADDRESS: z
    .email()
    .regex(new RegExp(`^[^@]{1,${BOUNCE_NAME_MAX_LENGTH}}@`), {
      message: `must have at most ${BOUNCE_NAME_MAX_LENGTH} characters before the @`,
    })
    .optional(),
  BOUNCE_IMAP_URL: imapUrl.optional(),
  MAILGUN_SIGNING_KEY: z.string().min(16, { message: 'is too short for a key' }).optional(),
  OPERATOR_EMAIL: z.email().optional(),
  TEXTS_DIR: z.string().optional(),
  // A test key or a live one, restricted or not; nothing else is a Stripe key.
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_\w+$/, { message: 'is not a secret key of Stripe' })
    .optional(),
  STRIPE_API_BASE: url.optional(),
  STRIPE_WEBHOOK_SECRET: secrets.optional(),
  STRIPE_ACCOUNTS_WEBHOOK_SECRET: secrets.optional(),
  DEPLOYMENT: z
    .string()
    .regex(/^[a-z0-9-]{1,20}$/)
    .default('local'),
  SUBSCRIPTION_PRICE_CENTS: count.default(1000),
  SUBSCRIPTION_CURRENCY: z
    .string()
    .regex(/^[a-z]{3}$/)
    .default('usd'),
  PRICE_MIN_CENTS: count.default(300),
  PRICE_MAX_CENTS: count.default(50_000),
  // At most two decimals: Stripe takes no finer share.
  PLATFORM_FEE_PERCENT: z.coerce.number().min(0).max(50).multipleOf(0.01).default(10),
  MONEY_KEPT_YEARS: z.coerce.number().int().min(1).max(50).default(10),
  PAST_DUE_DAYS: z.coerce.number().int().min(1).max(365).default(21),
  // At most what Stripe charges at once.
  FRAUD_WARNING_MAX_CENTS: z.coerce
    .number({ message: WHOLE_CENTS })
    .int(WHOLE_CENTS)
    .min(0, WHOLE_CENTS)
    .max(99_999_999, WHOLE_CENTS)
    .default(50_000),
  TAX: z.enum(['off', ...TAX_LIABLE], { message: 'must be off, platform or trader' }).default('off'),
  RETURN_EMPTY_MONTHS: z.enum(['on', 'off'], { message: 'must be on or off' }).default('on'),
  QUOTES_API_BASE: url.optional(),
  QUOTES_API_KEY: z.string().optional(),
  QUOTES_PER_MINUTE: z.coerce.number().int().min(2).max(60_000).optional(),
  // The default of G-44.
  INDEX_SYMBOL: z
    .string()
    .regex(/^[A-Z][A-Z0-9.-]{0,9}$/)
    .default('SPY'),
  LIVE_PRICES: z.enum(PRICE_RIGHTS, { message: 'must be live, delayed or percent' }).default('live'),
  QUOTE_MAX_AGE_SECONDS: count.default(120),
  PREVIEW_TTL_SECONDS: count.default(120),
  MARKET_OVERRIDE: z.enum(['open', 'hours', 'none']).optional(),
  // One secret, or several with commas between, newest first: earlier ones are still read.
  AUTH_SECRET: z
    .string()
    .refine((list) => list.split(',').every((secret) => secret.trim().length >= 32), {
      message: 'must have at least 32 characters, each of a list',
    })
    .optional(),
  // Each is a verifier key and an address, with a space between; several with commas.
  RECORD_WITNESSES: z
    .string()
    .transform((list) => list.split(',').map((witness) => witness.trim().split(/\s+/)))
    .refine((list) => list.every(isWitness), { message: 'must be a verifier key, a space and an address' })
    .transform((list) => list.map(([vkey = '', url = '']) => ({ vkey, url })))
    .optional(),
  RECORD_QUORUM: z.coerce.number().int().min(0).default(0),
  AUTH_CODE_SPACING_SECONDS: z.coerce.number().int().min(0).default(60),
  AUTH_MAIL_LIMIT: count.default(1000),
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  TRUST_PROXY: z.string().optional(),
  PROXY_PROTOCOL: z
    .string()
    .refine(areAddresses, { message: 'must be addresses or networks, with commas between' })
    .optional(),
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(60).default(0),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
} as const

const REQUIRED_IN_PRODUCTION = [
  'DATABASE_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'APP_URL',
  'AUTH_SECRET',
  'QUOTES_API_BASE',
  'QUOTES_API_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_ACCOUNTS_WEBHOOK_SECRET',
] as const

/** The timed type of a note's signature (c2sp.org/tlog-cosignature): others count in no receipt. */
const TIMED = 4

function isWitness([vkey = '', address = '', ...more]: string[]): boolean {
  const key = readVerifierKey((bytes) => hash('sha256', bytes, 'buffer'), vkey)
  return key?.type === TIMED && /^https?:\/\/[^\s/]+(\/[^\s]*[^\s/])?$/.test(address) && more.length === 0
}

const shape = z.object(variables)
export type Env = Readonly<z.infer<typeof shape>>

/** Variables that the first set-up of Stripe prints, and which therefore are unset while it runs. */
const PRINTED_BY_SET_UP: readonly string[] = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_ACCOUNTS_WEBHOOK_SECRET']

type Circumstances = { webhookSecrets?: 'to come' }

function checkTogether(env: Env, context: z.RefinementCtx, circumstances: Circumstances): void {
  const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (env.NODE_ENV === 'production') {
    if (env.SANDBOX !== 'on') {
      for (const name of REQUIRED_IN_PRODUCTION) {
        const toCome = circumstances.webhookSecrets === 'to come' && PRINTED_BY_SET_UP.includes(name)
        if (!env[name] && !toCome) fault(name, 'is required in production')
      }
    }
    if (env.CLOCK_FILE) fault('CLOCK_FILE', 'is for tests only')
    if (env.PUSH_LOOPBACK) fault('PUSH_LOOPBACK', 'is for tests only')
    if (env.RATE_LIMITS === 'off') fault('RATE_LIMITS', 'cannot be off in production')
    if (!env.AUTH_SECRET && env.SANDBOX === 'on') fault('AUTH_SECRET', 'is required in production')
  }
  if (/_live_/.test(env.STRIPE_SECRET_KEY ?? '')) {
    if (env.STRIPE_API_BASE)
      fault('STRIPE_API_BASE', 'must be empty beside a live key: it would send it elsewhere')
    if (marketOverride(env) !== null) {
      fault(
        'MARKET_OVERRIDE',
        'must keep the real hours while real money is taken: on simulated prices, none',
      )
    }
    if (env.CLOCK_FILE) fault('CLOCK_FILE', 'cannot move the clock while real money is taken')
  }
  if ((env.DATABASE_DIRECT_URL || env.DATABASE_READ_URL) && !env.DATABASE_URL)
    fault('DATABASE_URL', 'is needed beside its neighbour')
  if (env.RECORD_QUORUM > (env.RECORD_WITNESSES?.length ?? 0))
    fault('RECORD_QUORUM', 'is more than RECORD_WITNESSES has')
  if (env.BOUNCE_IMAP_URL && !env.BOUNCE_ADDRESS) fault('BOUNCE_ADDRESS', 'is needed beside its neighbour')
  if (env.STRIPE_API_BASE && !env.STRIPE_SECRET_KEY) {
    fault('STRIPE_SECRET_KEY', 'is needed beside its neighbour')
  }
  if (!env.QUOTES_API_BASE !== !env.QUOTES_API_KEY) {
    fault(env.QUOTES_API_BASE ? 'QUOTES_API_KEY' : 'QUOTES_API_BASE', 'is needed beside its neighbour')
  }
}

/** Thrown with every fault at once, one a line, each naming its variable and never its value. */
export class EnvError extends Error {}

/**
 * Reads the environment once; nothing else in the product reads process.env.
 * @param circumstances.webhookSecrets `to come` for the set-up that prints them
 * @throws EnvError naming every fault
 */
export function readEnv(source: Record<string, string | undefined>, circumstances: Circumstances = {}): Env {
  const schema = shape.superRefine((env, context) => checkTogether(env, context, circumstances))
  // An empty value means "not given", as in `SMTP_URL=` of a copied example.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return Object.freeze(parsed.data)
  throw new EnvError(
    parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'),
  )
}

/** The parts of the sandbox that must run: those whose real counterpart is not configured. */
export function sandboxParts(env: Env): ('mail' | 'market' | 'stripe')[] {
  if (env.NODE_ENV === 'production' && env.SANDBOX !== 'on') return []
  return [
    ...(env.SMTP_URL ? [] : ['mail' as const]),
    ...(env.QUOTES_API_BASE ? [] : ['market' as const]),
    ...(env.STRIPE_SECRET_KEY ? [] : ['stripe' as const]),
  ]
}

/** The market rules that the environment forces: none unless it is set, the hours on the sandbox's market (rule G-10). */
export function marketOverride(env: Env): MarketOverride {
  if (env.MARKET_OVERRIDE === 'none') return null
  return env.MARKET_OVERRIDE ?? (sandboxParts(env).includes('market') ? 'hours' : null)
}

/** The rate of Finnhub's free keys (60 a minute); the sandbox's market has no limit. */
const PROVIDER_PER_MINUTE = 60
const SANDBOX_PER_MINUTE = 60_000

/** How many calls a minute the price provider takes. */
export function quotesPerMinute(env: Env): number {
  const usual = sandboxParts(env).includes('market') ? SANDBOX_PER_MINUTE : PROVIDER_PER_MINUTE
  return env.QUOTES_PER_MINUTE ?? usual
}

/** The key material: AUTH_SECRET, or one generated into DATA_DIR so that a developer's sessions outlive a restart. */
export function authSecret(env: Env): string {
  return env.AUTH_SECRET ?? keptSecret(env, 'auth-secret')
}

/** The secrets that sign webhooks: as configured, or generated into DATA_DIR for the sandbox's Stripe, which receives them. */
export function webhookSecrets(env: Env): {
  webhookSecrets: readonly string[]
  accountsWebhookSecrets: readonly string[]
} {
  return {
    webhookSecrets: env.STRIPE_WEBHOOK_SECRET ?? [keptSecret(env, 'stripe-webhook-secret')],
    accountsWebhookSecrets: env.STRIPE_ACCOUNTS_WEBHOOK_SECRET ?? [
      keptSecret(env, 'stripe-accounts-webhook-secret'),
    ],
  }
}

function keptSecret(env: Env, name: string): string {
  const path = join(resolve(env.DATA_DIR), name)
  if (!existsSync(path)) {
    mkdirSync(resolve(env.DATA_DIR), { recursive: true, mode: 0o700 })
    writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600 })
  }
  return readFileSync(path, 'utf8').trim()
}

/**
 * @param list addresses and networks, with commas between
 * @throws when one of them is neither
 */
export function parseAddresses(list: string): BlockList {
  const parsed = new BlockList()
  for (const entry of list.split(',').map((each) => each.trim())) {
    const [address = '', bits, ...rest] = entry.split('/')
    const version = isIP(address)
    const family = version === 6 ? 'ipv6' : 'ipv4'
    const most = version === 6 ? 128 : 32
    const isNetwork = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= most
    if (version === 0 || rest.length > 0 || (bits !== undefined && !isNetwork))
      throw new Error(`${entry} is neither an address nor a network, as 10.0.0.0/8 is one`)
    if (bits === undefined) parsed.addAddress(address, family)
    else parsed.addSubnet(address, Number(bits), family)
  }
  return parsed
}

function areAddresses(list: string): boolean {
  try {
    parseAddresses(list)
    return true
  } catch {
    return false
  }
}
