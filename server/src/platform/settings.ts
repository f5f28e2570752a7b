import type { MarketOverride } from '@tradepost/contract/market-hours'
import type { PriceRights } from '@tradepost/contract/price-rights'
import type { TaxLiable } from '@tradepost/contract/tax'
import type { PriceBounds } from '@tradepost/contract/typed-prices'
import type { Terms } from './operator-texts.ts'

/** The product's settings: the environment's variables (`.env.example`), with the sandbox's address for each service that has none. */
export type Settings = Readonly<{
  /** The one public origin: links in mails, CORS, redirects. */
  origin: string
  /** Addresses and networks of proxies whose forwarding headers count, with commas between; null for none. */
  trustProxy: string | null
  /** The same of balancers that send the client's address at the beginning of a connection (ADR 0068). */
  proxyProtocol: string | null
  /** Whether rate limits hold; tests turn them off. */
  limitsOn: boolean
  /** The secret from which the product's own keys are derived; several, newest first, with commas between. */
  authSecret: string
  /** Between two sign-in mails to one address. */
  codeSpacingSeconds: number
  /** Sign-in mails of the whole product in ten minutes. */
  mailLimit: number
  /** Market rules that are switched off; null where all hold (rule G-10). */
  marketOverride: MarketOverride
  /** The rights of people to prices of now (rule G-130). */
  priceRights: PriceRights
  /** How long a previewed price can be used. */
  previewTtlSeconds: number
  /** A quote older than this opens no position while market hours hold. */
  quoteMaxAgeSeconds: number
  /** Price of a month where a trader names none (rule G-28). */
  subscriptionPriceCents: number
  subscriptionCurrency: string
  /** The least and the most that a month may cost where a trader names the price, in cents of that currency. */
  priceBounds: PriceBounds
  /** The platform's share of each payment, in percent with at most two decimals. */
  platformFeePercent: number
  /** How long access outlasts a payment that is owed (rule G-33). */
  pastDueDays: number
  /** Up to this many cents a payment that its card network warns of goes back by itself; 0: none does (rule G-128). */
  fraudWarningMaxCents: number
  /** The party that owes the tax within a price; null where none is computed (rule G-131). */
  taxLiable: TaxLiable | null
  /** Whether paid months in which nothing was published go back by themselves (rule G-127). */
  returnEmptyMonths: boolean
  /** How many whole years payments of people who are erased are kept after the year in which they were made. */
  moneyKeptYears: number
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
  /** At most this many of them look up marks and closes of the day: half, and never more than 3,000. */
  marksPerMinute: number
  /** The share that stands for the whole market in curves. */
  indexSymbol: string
  mail: {
    smtpUrl: string
    from: string
    /** Parallel SMTP connections of one worker. */
    connections: number
    /** Folder in which this host's workers note how far the mails of an event have gone. */
    progressDir: string
  }
  record: {
    /** Folder in which this host keeps the newest checkpoint that it has signed. */
    dir: string
    /** Others who sign checkpoints: their keys, and addresses without a slash at the end. */
    witnesses: readonly { vkey: string; url: string }[]
    /** So many of them have to have signed for a receipt to count. */
    quorum: number
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
  /** The terms among them, which one agrees to before paying (rule G-125). */
  terms: Terms
  /** Whether a push service may have a loopback address, as that of tests has. */
  pushLoopback: boolean
  /** The sandbox's address and the services that it stands in for; null where every service is a real one. */
  sandbox: { url: string; mail: boolean; market: boolean; payments: boolean } | null
}>
