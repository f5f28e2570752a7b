import type { TaxLiable } from '@tradepost/contract/tax'
import type * as z from 'zod'

/** A mail's three faces. The subject is one line; the text is written for reading, not derived from the HTML. */
export type RenderedMail = { subject: string; html: string; text: string }

/**
 * A mail as it is sent.
 * @property html null for plain text
 * @property unsubscribeUrl of a mail that one click in a mail program may stop (RFC 8058, rule G-63)
 */
export type WrittenMail = Omit<RenderedMail, 'html'> & { html: string | null; unsubscribeUrl?: string }

/**
 * The subject matter of a mail, which decides how it is sent (server/src/mail/outbox/categories.ts). `sign-in`: a code that somebody waits
 * for; `security`: of who can enter the account; `account`: of whether it may be used; `money`: of subscriptions and what is paid for them;
 * `positions`: of what was published; `operator`: to the operator.
 */
export type MailCategory = 'sign-in' | 'security' | 'account' | 'money' | 'positions' | 'operator'

/** People who get fewer mails: those whose account is suspended, and those whose address takes none (section 3.5, Delivery). */
export type Silenced = 'suspended' | 'suppressed'

/** Everything about one kind of single mail. */
export type Mail<Facts extends z.ZodObject, Drawn extends z.ZodObject | null> = {
  category: MailCategory
  /** People who do not get it; an address that refuses a mail which the suppressed do not get may become one of theirs. */
  withheldFrom: readonly Silenced[]
  /** Goes to people whose account is closed too; no other mail does. */
  afterClosing?: true
  /** Names a trader whom its reader follows: it has a link by which they leave without signing in (rule G-126). */
  leaves?: true
  /** The facts that are stored with the request: ids and plain facts. Never an address, a code, a link or a token. */
  facts: Facts
  /** The values that are made when the mail is sent, such as a code; null where there are none. */
  drawn: Drawn
  write(props: MailProps<Facts, Drawn> & Sender): WrittenMail
  /** By name: every form that its readers may see. */
  samples: Record<string, MailProps<Facts, Drawn>>
}

type MailProps<Facts extends z.ZodObject, Drawn extends z.ZodObject | null> = z.infer<Facts> &
  (Drawn extends z.ZodObject ? z.infer<Drawn> : unknown)

/**
 * @property origin public address of the product, without a slash at the end
 * @property taxLiable owes the tax within prices; left out where none is computed (rule G-131)
 * @property leaveUrl of a mail that `leaves`, while there is something to leave
 */
export type Sender = { origin: string; taxLiable?: TaxLiable | undefined; leaveUrl?: string | undefined }

/** Defines a kind of mail; `mails` in render.tsx names it. */
export function defineMail<Facts extends z.ZodObject, Drawn extends z.ZodObject | null>(
  mail: Mail<Facts, Drawn>,
): Mail<Facts, Drawn> {
  return mail
}
