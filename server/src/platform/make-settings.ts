import { join, resolve } from 'node:path'
import { authSecret, type Env, marketOverride, quotesPerMinute, sandboxParts, webhookSecrets } from './env.ts'
import { readTerms } from './operator-texts.ts'
import type { Settings } from './settings.ts'

/** More marks than this help nobody: every symbol that thousands hold is then asked about each half minute. */
const MARKS_MAX_PER_MINUTE = 3000

/** @property imapPort of the mailbox to which reports on mails come; null or left out where there is none */
export type SandboxAddress = { url: string; smtpPort: number; imapPort?: number | null }

/**
 * @param sandbox where it answers; the configured addresses unless it was started on free ports
 */
export function makeSettings(env: Env, sandbox: SandboxAddress = sandboxAddress(env)): Settings {
  const parts = sandboxParts(env)
  const origin = env.APP_URL ? new URL(env.APP_URL).origin : `http://localhost:${env.PORT}`
  return {
    origin,
    trustProxy: env.TRUST_PROXY ?? null,
    proxyProtocol: env.PROXY_PROTOCOL ?? null,
    limitsOn: env.RATE_LIMITS === 'on',
    authSecret: authSecret(env),
    codeSpacingSeconds: env.AUTH_CODE_SPACING_SECONDS,
    mailLimit: env.AUTH_MAIL_LIMIT,
    marketOverride: marketOverride(env),
    priceRights: env.LIVE_PRICES,
    previewTtlSeconds: env.PREVIEW_TTL_SECONDS,
    quoteMaxAgeSeconds: env.QUOTE_MAX_AGE_SECONDS,
    subscriptionPriceCents: env.SUBSCRIPTION_PRICE_CENTS,
    subscriptionCurrency: env.SUBSCRIPTION_CURRENCY,
    priceBounds: { minCents: env.PRICE_MIN_CENTS, maxCents: env.PRICE_MAX_CENTS },
    platformFeePercent: env.PLATFORM_FEE_PERCENT,
    pastDueDays: env.PAST_DUE_DAYS,
    fraudWarningMaxCents: env.FRAUD_WARNING_MAX_CENTS,
    taxLiable: env.TAX === 'off' ? null : env.TAX,
    returnEmptyMonths: env.RETURN_EMPTY_MONTHS === 'on',
    moneyKeptYears: env.MONEY_KEPT_YEARS,
    stripe: {
      secretKey: env.STRIPE_SECRET_KEY ?? 'sk_test_sandbox',
      apiBase: env.STRIPE_API_BASE ?? (parts.includes('stripe') ? sandbox.url : null),
      ...webhookSecrets(env),
      deployment: env.DEPLOYMENT,
    },
    quotes: { base: env.QUOTES_API_BASE ?? sandbox.url, key: env.QUOTES_API_KEY ?? 'sandbox' },
    quotesPerMinute: quotesPerMinute(env),
    marksPerMinute: Math.min(quotesPerMinute(env) / 2, MARKS_MAX_PER_MINUTE),
    indexSymbol: env.INDEX_SYMBOL,
    mail: {
      smtpUrl: env.SMTP_URL ?? `smtp://127.0.0.1:${sandbox.smtpPort}`,
      from: env.MAIL_FROM ?? 'Tradepost <signals@tradepost.example>',
      connections: env.SMTP_CONNECTIONS,
      progressDir: join(resolve(env.DATA_DIR), 'delivery'),
    },
    record: {
      dir: join(resolve(env.DATA_DIR), 'record'),
      witnesses: env.RECORD_WITNESSES ?? [],
      quorum: env.RECORD_QUORUM,
    },
    reports: reportsOf(env, sandbox),
    operatorEmail: env.OPERATOR_EMAIL ?? null,
    textsDir: env.TEXTS_DIR ?? null,
    terms: readTerms(env.TEXTS_DIR ?? null),
    pushLoopback: env.PUSH_LOOPBACK === 'on',
    sandbox:
      parts.length > 0
        ? {
            url: sandbox.url,
            mail: parts.includes('mail'),
            market: parts.includes('market'),
            payments: parts.includes('stripe'),
          }
        : null,
  }
}

function reportsOf(env: Env, { imapPort }: SandboxAddress): Settings['reports'] {
  const { BOUNCE_ADDRESS: given } = env
  const isSandbox = given === undefined && typeof imapPort === 'number' && sandboxParts(env).includes('mail')
  return {
    address: given ?? (isSandbox ? 'bounces@tradepost.example' : null),
    mailboxUrl: isSandbox ? `imap://bounces:sandbox@127.0.0.1:${imapPort}` : (env.BOUNCE_IMAP_URL ?? null),
    mailgunKey: env.MAILGUN_SIGNING_KEY ?? null,
  }
}

function sandboxAddress(env: Env): SandboxAddress {
  return { url: `http://localhost:${env.SANDBOX_PORT}`, smtpPort: env.SANDBOX_SMTP_PORT }
}
