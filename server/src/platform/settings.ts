import type { MarketOverride } from '@tradepost/contract/market-hours'

/** The settings of the product, made of the environment once the addresses of external services are known. */
export type Settings = Readonly<{
  /** The one public origin: links in mails, CORS, redirects. */
  origin: string
  trustProxy: string | null
  /** Balancers that send the client's address at the beginning of a connection (ADR 0068). */
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
  /** Monthly price of following a trader (rule G-28). */
  subscriptionPriceCents: number
  subscriptionCurrency: string
  /** The platform's share of each payment, in percent with at most two decimals. */
  platformFeePercent: number
  /** How long access outlasts a payment that is owed (rule G-33). */
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
  /** Reports that arrive after a mail server has taken a mail (ADR 0066). */
  reports: {
    /** The return address of mails; null where they name MAIL_FROM, and reports are lost. */
    address: string | null
    /** `imap://` or `imaps://` with a sign-in, of the mailbox behind that address; null where nobody reads it. */
    mailboxUrl: string | null
    /** The key with which Mailgun signs its webhooks; null where it calls none. */
    mailgunKey: string | null
  }
  /** The reader of feedback and alerts by mail; null for nobody. */
  operatorEmail: string | null
  /** Folder of the operator's terms, privacy notice and contact; null for the texts that come with the product. */
  textsDir: string | null
  /** Whether devices may have their push service on this machine, as those of tests have. */
  pushLoopback: boolean
  /** Where the sandbox stands, while any part of the outside world is its. */
  sandbox: { url: string; mail: boolean; market: boolean; payments: boolean } | null
}>
