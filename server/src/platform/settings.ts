import { join, resolve } from 'node:path'
import type { MarketOverride } from '@tradepost/contract/market-hours'
import { authSecret, type Env, marketOverride, quotesPerMinute, sandboxParts, webhookSecrets } from './env.ts'

/** More marks than this help nobody: every symbol that thousands hold is then asked about each half minute. */
const MARKS_MAX_PER_MINUTE = 3000

/** What the environment means for the product, once it is known where the outside world stands. */
export type Settings = Readonly<{
  /** The one public origin: links in mails, CORS, redirects. */
  origin: string
  trustProxy: string | null
  /** Balancers that say whose a connection is, at its beginning (decision 0068). */
  proxyProtocol: string | null
  limitsOn: boolean
  authSecret: string
  /** Between two sign-in mails to one address. */
  codeSpacingSeconds: number
  /** Sign-in mails of the whole product in ten minutes. */
  mailLimit: number
  marketOverride: MarketOverride
  previewTtlSeconds: number
  quoteMaxAgeSeconds: number
  /** Monthly price of following a trader (decision G-28). */
  subscriptionPriceCents: number
  subscriptionCurrency: string
  /** What the platform keeps of each payment, in percent with at most two decimals. */
  platformFeePercent: number
  /** How long access outlasts a payment that is owed (decision G-33). */
  pastDueDays: number
  stripe: {
    secretKey: string
    /** Null for Stripe itself. */
    apiBase: string | null
    /** Any of them may have signed a webhook, newest first. */
    webhookSecrets: readonly string[]
    accountsWebhookSecrets: readonly string[]
    /** Part of every id and idempotency key at Stripe, so that two deployments on one account never meet. */
    deployment: string
  }
  quotes: { base: string; key: string }
  /** Calls a minute that the price provider takes. */
  quotesPerMinute: number
  /** Of them, those that marks and closes of the day may make at most: half. */
  marksPerMinute: number
  /** The share that stands for the whole market in curves. */
  indexSymbol: string
  mail: {
    smtpUrl: string
    from: string
    connections: number
    /** Folder in which this host's workers note how far they are. */
    progressDir: string
  }
  /** What comes back after a mail server has taken a mail (decision 0066). */
  reports: {
    /** To which mails say that they go back; null where they name MAIL_FROM, and what comes back is lost. */
    address: string | null
    /** `imap://` or `imaps://` with a sign-in, of the mailbox behind that address; null where nobody reads it. */
    mailboxUrl: string | null
    /** With which Mailgun signs its webhooks; null where it calls none. */
    mailgunKey: string | null
  }
  /** Who reads feedback and alerts by mail; null for nobody. */
  operatorEmail: string | null
  /** Folder of the operator's terms, privacy notice and contact; null for the texts that come with the product. */
  textsDir: string | null
  /** Whether devices may have their push service on this machine, as those of tests have. */
  pushLoopback: boolean
  /** Where the sandbox stands, while any part of the outside world is its. */
  sandbox: { url: string; mail: boolean; market: boolean; payments: boolean } | null
}>

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
    previewTtlSeconds: env.PREVIEW_TTL_SECONDS,
    quoteMaxAgeSeconds: env.QUOTE_MAX_AGE_SECONDS,
    subscriptionPriceCents: env.SUBSCRIPTION_PRICE_CENTS,
    subscriptionCurrency: env.SUBSCRIPTION_CURRENCY,
    platformFeePercent: env.PLATFORM_FEE_PERCENT,
    pastDueDays: env.PAST_DUE_DAYS,
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
    reports: reportsOf(env, sandbox),
    operatorEmail: env.OPERATOR_EMAIL ?? null,
    textsDir: env.TEXTS_DIR ?? null,
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
