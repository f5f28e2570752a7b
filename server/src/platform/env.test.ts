import { expect, test } from 'vitest'
import { EnvError, readEnv } from './env.ts'
import { makeSettings } from './make-settings.ts'

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://u:p@db.example/tradepost',
  SMTP_URL: 'smtp://relay.example:25',
  MAIL_FROM: 'Tradepost <signals@tradepost.example>',
  APP_URL: 'https://tradepost.example',
  AUTH_SECRET: 'x'.repeat(32),
  QUOTES_API_BASE: 'https://finnhub.example',
  QUOTES_API_KEY: 'k',
  STRIPE_SECRET_KEY: 'sk_live_abc',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_a_test_only',
  STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_a_test_only',
}

function faults(source: Record<string, string>): string[] {
  try {
    readEnv(source)
    return []
  } catch (error) {
    if (error instanceof EnvError) return error.message.split('\n')
    throw error
  }
}

test('an empty environment is a newcomer: everything has a default', () => {
  expect(readEnv({})).toMatchObject({ PORT: 3000, DATABASE_POOL_SIZE: 10, PREVIEW_TTL_SECONDS: 120 })
})

test('an empty value means "not given"', () => {
  expect(readEnv({ SMTP_URL: '', PORT: '' })).toMatchObject({ PORT: 3000 })
})

test('empty months go back unless that is off, and another value is named as a fault', () => {
  expect(makeSettings(readEnv({})).returnEmptyMonths).toBe(true)
  expect(makeSettings(readEnv({ RETURN_EMPTY_MONTHS: 'off' })).returnEmptyMonths).toBe(false)
  expect(faults({ RETURN_EMPTY_MONTHS: 'never' })).toEqual(['RETURN_EMPTY_MONTHS: must be on or off'])
})

test('a warned payment goes back by itself up to an amount, and a bad one is named as a fault', () => {
  const most = (value?: string) =>
    makeSettings(readEnv(value === undefined ? {} : { FRAUD_WARNING_MAX_CENTS: value })).fraudWarningMaxCents
  expect([most(), most('0'), most('99999999')]).toEqual([50_000, 0, 99_999_999])
  for (const bad of ['-1', '12.50', 'none', '100000000'])
    expect(faults({ FRAUD_WARNING_MAX_CENTS: bad })).toEqual([
      'FRAUD_WARNING_MAX_CENTS: must be whole cents from 0, which returns nothing by itself, to 99999999',
    ])
})

test('no tax is computed unless somebody is named who owes it, and another value is named as a fault', () => {
  const liable = (value: string) => makeSettings(readEnv({ TAX: value })).taxLiable
  expect(['', 'off', 'platform', 'trader'].map(liable)).toEqual([null, null, 'platform', 'trader'])
  expect(faults({ TAX: 'on' })).toEqual(['TAX: must be off, platform or trader'])
})

test('prices are live unless they are set to be less, and another value is named as a fault', () => {
  const rightsOf = (value: string) => makeSettings(readEnv({ LIVE_PRICES: value })).priceRights
  expect(['', 'live', 'delayed', 'percent'].map(rightsOf)).toEqual(['live', 'live', 'delayed', 'percent'])
  expect(faults({ LIVE_PRICES: 'late' })).toEqual(['LIVE_PRICES: must be live, delayed or percent'])
})

test('every fault is named at once, and no value is repeated', () => {
  const named = faults({ PORT: 'secret-value', SMTP_URL: 'http://secret-value', AUTH_SECRET: 'secret-value' })
  expect(named.map((line) => line.split(':')[0])).toEqual(['PORT', 'SMTP_URL', 'AUTH_SECRET'])
  expect(named.join()).not.toContain('secret-value')
})

test('production asks for every real counterpart', () => {
  expect(faults({ NODE_ENV: 'production' })).toHaveLength(10)
  expect(faults(production)).toEqual([])
})

test('production refuses what is for tests', () => {
  expect(faults({ ...production, CLOCK_FILE: '/x', PUSH_LOOPBACK: 'on', RATE_LIMITS: 'off' })).toHaveLength(4)
})

test('a push service may be on this machine where its variable allows it, and nowhere else', () => {
  const secrets = { AUTH_SECRET: 'x'.repeat(32), STRIPE_WEBHOOK_SECRET: 'whsec_of_a_test_only' }
  const made = { ...secrets, STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_a_test_only' }
  for (const env of [made, { ...made, NODE_ENV: 'test' }, { ...made, NODE_ENV: 'development' }])
    expect(makeSettings(readEnv(env)).pushLoopback).toBe(false)
  expect(makeSettings(readEnv({ ...made, PUSH_LOOPBACK: 'on' })).pushLoopback).toBe(true)
})

test('the market override is empty where real prices are configured, and the hours alone on the sandbox market', () => {
  expect(makeSettings(readEnv(production)).marketOverride).toBeNull()
  const onTestKey = { ...production, STRIPE_SECRET_KEY: 'sk_test_abc' }
  expect(makeSettings(readEnv({ ...onTestKey, MARKET_OVERRIDE: 'open' })).marketOverride).toBe('open')
  expect(makeSettings(readEnv({ ...onTestKey, MARKET_OVERRIDE: 'hours' })).marketOverride).toBe('hours')
  expect(makeSettings(readEnv({ ...onTestKey, MARKET_OVERRIDE: 'none' })).marketOverride).toBeNull()
  const newcomer = {
    AUTH_SECRET: 'x'.repeat(32),
    STRIPE_WEBHOOK_SECRET: 'whsec_of_a_test_only',
    STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_a_test_only',
  }
  expect(makeSettings(readEnv(newcomer)).marketOverride).toBe('hours')
  expect(makeSettings(readEnv({ ...newcomer, MARKET_OVERRIDE: 'open' })).marketOverride).toBe('open')
  expect(makeSettings(readEnv({ ...newcomer, MARKET_OVERRIDE: 'none' })).marketOverride).toBeNull()
})

test('the sandbox market, which refuses a call without a key, is asked with one', () => {
  const { quotes } = makeSettings(readEnv({}), { url: 'http://127.0.0.1:4000', smtpPort: 4025 })
  expect(quotes).toEqual({ base: 'http://127.0.0.1:4000', key: 'sandbox' })
})

test('payments go to the sandbox only where no key of Stripe is given', () => {
  const sandbox = { url: 'http://127.0.0.1:4000', smtpPort: 4025 }
  const newcomer = {
    AUTH_SECRET: 'x'.repeat(32),
    STRIPE_WEBHOOK_SECRET: 'whsec_of_a_test_only',
    STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_a_test_only',
  }
  expect(makeSettings(readEnv(newcomer), sandbox).stripe.apiBase).toBe('http://127.0.0.1:4000')
  const withKey = { ...newcomer, STRIPE_SECRET_KEY: 'sk_test_abc' }
  expect(makeSettings(readEnv(withKey), sandbox).stripe.apiBase).toBeNull()
  expect(makeSettings(readEnv(production), sandbox).stripe.apiBase).toBeNull()
})

test('marks and closes make half of the calls that docs/operations.md names, so that people have the rest', () => {
  const perMinute = (source: Record<string, string>) => makeSettings(readEnv(source)).marksPerMinute
  expect(perMinute(production)).toBe(60 / 2)
  expect(perMinute({ AUTH_SECRET: 'x'.repeat(32) })).toBe(3000)
  expect(perMinute({ ...production, QUOTES_PER_MINUTE: '300' })).toBe(150)
})

test('nothing of the sandbox is used in production unless it is asked for', () => {
  expect(makeSettings(readEnv(production)).sandbox).toBeNull()
})

test('a live key of Stripe refuses another host, an open market and a moved clock', () => {
  for (const change of [
    { STRIPE_API_BASE: 'http://127.0.0.1:3001' },
    { MARKET_OVERRIDE: 'open' },
    { MARKET_OVERRIDE: 'hours' },
    { NODE_ENV: 'development', CLOCK_FILE: '/x' },
  ]) {
    expect(faults({ ...production, ...change })).toHaveLength(1)
    expect(faults({ ...production, ...change, STRIPE_SECRET_KEY: 'rk_live_abc' })).toHaveLength(1)
  }
  expect(faults({ ...production, STRIPE_SECRET_KEY: 'sk_test_abc', MARKET_OVERRIDE: 'open' })).toEqual([])
})

test('a live key of Stripe refuses the hours that the sandbox market would force, and takes none', () => {
  const onSandboxMarket = {
    ...production,
    NODE_ENV: 'development',
    QUOTES_API_BASE: '',
    QUOTES_API_KEY: '',
  }
  expect(faults(onSandboxMarket)).toEqual([expect.stringMatching(/^MARKET_OVERRIDE: /)])
  expect(faults({ ...onSandboxMarket, MARKET_OVERRIDE: 'none' })).toEqual([])
})

test('an invalid override is refused at the start', () => {
  expect(faults({ MARKET_OVERRIDE: 'closed' })).toHaveLength(1)
})

test('an invalid key, fee or price of Stripe is refused at the start', () => {
  const wrong = [
    { STRIPE_SECRET_KEY: 'pk_test_abc' },
    { STRIPE_WEBHOOK_SECRET: 'short' },
    { PLATFORM_FEE_PERCENT: 'ten' },
    { PLATFORM_FEE_PERCENT: '10.123' },
    { SUBSCRIPTION_PRICE_CENTS: '0' },
    { SUBSCRIPTION_CURRENCY: 'dollars' },
  ]
  for (const change of wrong) expect(faults({ ...production, ...change })).toHaveLength(1)
})

test('a thousand sign-in mails in ten minutes may go out where nothing else is set', () => {
  expect(makeSettings(readEnv(production)).mailLimit).toBe(1000)
  expect(makeSettings(readEnv({ ...production, AUTH_MAIL_LIMIT: '5000' })).mailLimit).toBe(5000)
})

test('balancers are addresses and networks', () => {
  expect(faults({ PROXY_PROTOCOL: '10.0.0.0/8, 192.0.2.1, 2001:db8::/32' })).toEqual([])
  expect(faults({ PROXY_PROTOCOL: '10.0.0.0/8, balancer' })).toHaveLength(1)
})
