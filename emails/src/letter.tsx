import { BRAND } from '@tradepost/contract/brand'
import { formatMoney } from '@tradepost/contract/money'
import type { TaxLiable } from '@tradepost/contract/tax'
import * as z from 'zod'
import { Layout } from './layout.tsx'
import { traderUrl } from './links.ts'
import { defineMail, type Mail, type MailCategory, type RenderedMail, type Silenced } from './mail.ts'
import { Button, Heading, Notes, Paragraph, QuietLink } from './parts.tsx'
import { LeaveLink, leaveText } from './position-facts.tsx'
import { RISK_TEXT, Risk } from './risk.tsx'
import { toHtml } from './to-html.ts'
import { firstWords, wrap } from './wrap.ts'

/** Facts of nearly every mail about money: the one who is followed, as they spell their name, without the @. */
export const trader = { trader: z.string() }
export const money = { amountCents: z.int(), currency: z.string() }

/** Of `amountCents` the trader's part, without the platform's fee. Mails of an earlier version do not say it. */
export const share = { shareCents: z.optional(z.int()) }

/** The trader's part of an amount, within a sentence and after it: `, of which $9.00 was yours`. */
export function shareWords({
  currency,
  shareCents,
}: {
  currency: string
  shareCents?: number | undefined
}): string {
  return shareCents === undefined ? '' : `, of which ${formatMoney(shareCents, currency)} was yours`
}

/** The platform's fee on an amount, ` of $1.00`: the rest beside the trader's part; empty where that is not known, or a tax may be in it. */
export function feeWords({
  amountCents,
  currency,
  shareCents,
  taxLiable,
}: {
  amountCents: number
  currency: string
  shareCents?: number | undefined
  taxLiable?: TaxLiable | undefined
}): string {
  if (shareCents === undefined || taxLiable) return ''
  return ` of ${formatMoney(amountCents - shareCents, currency)}`
}

export const SAMPLE_TRADER = { trader: 'maria' }
export const SAMPLE_MONEY = { amountCents: 1000, currency: 'usd' }
export const SAMPLE_SHARE = { shareCents: 900 }

/** A person's own words, which stand as a block: they may run from right to left. */
type Quote = { quote: string }

/** A mail in sentences, with one thing to do: its HTML and its text contain the same words. */
export type Letter = {
  /** The line that must be enough in an inbox. */
  subject: string
  paragraphs: (string | Quote)[]
  action: { label: string; url: string }
  /** Why this person gets it, before and after the trader's name. */
  because: [string, string]
}

/** Why a subscriber gets it. */
export const OF_SUBSCRIBER: Letter['because'] = ['of your subscription to', `on ${BRAND}`]
/** Why a trader gets it. */
export const OF_TRADER: Letter['because'] = ['of a subscription to you,', `on ${BRAND}`]

/** The sentence of a letter's footer about stopping such mails, after a blank. */
const STOPS = {
  account: ' Mails about the account itself cannot be stopped.',
  money: ' Mails about money come even when mails about positions are stopped.',
  positions: '',
} satisfies Partial<Record<MailCategory, string>>

/**
 * Defines a mail that is a letter to the owner of an account.
 * @param mail.category decides who may stop it, and what its footer says of that
 * @param mail.withheldFrom everybody who gets fewer mails unless given
 */
export function defineLetter<Facts extends z.ZodObject, Drawn extends z.ZodObject | null = null>(
  mail: Omit<Mail<Facts, Drawn>, 'category' | 'drawn' | 'withheldFrom' | 'write'> & {
    category: keyof typeof STOPS
    withheldFrom?: readonly Silenced[]
    /** The values that are made when it is sent; nothing unless given. */
    drawn?: Drawn
    letter(props: Parameters<Mail<Facts, Drawn>['write']>[0]): Letter
  },
): Mail<Facts, Drawn> {
  const { category, drawn, letter, withheldFrom } = mail
  return defineMail<Facts, Drawn>({
    ...mail,
    withheldFrom: withheldFrom ?? ['suspended', 'suppressed'],
    drawn: (drawn ?? null) as Drawn,
    write: (props) =>
      renderLetter({
        ...about.parse(props),
        letter: letter(props),
        stops: STOPS[category],
        namesRisk: category === 'positions',
      }),
  })
}

/** The trader whom the footer names, if any. */
const about = z.object({
  trader: z.string().default(''),
  origin: z.string(),
  leaveUrl: z.string().optional(),
})
/** @property namesRisk as mails about positions do (rule G-125) */
type Whole = z.infer<typeof about> & { letter: Letter; stops: string; namesRisk: boolean }

function renderLetter(whole: Whole): RenderedMail {
  const { subject } = whole.letter
  return { subject, html: toHtml(<LetterMail {...whole} />), text: letterText(whole) }
}

function LetterMail({ letter, ...who }: Whole) {
  const { subject, paragraphs, action } = letter
  return (
    <Layout title={subject} preview={previewOf(paragraphs)} footer={<Footer {...who} {...letter} />}>
      <Heading>{subject}</Heading>
      {paragraphs.map((words) =>
        typeof words === 'string' ? (
          <Paragraph key={words}>{words}</Paragraph>
        ) : (
          <Notes key={words.quote}>{words.quote}</Notes>
        ),
      )}
      <Button href={action.url}>{action.label}</Button>
    </Layout>
  )
}

/** A letter begins with a sentence of ours. */
function previewOf([first]: Letter['paragraphs']): string {
  return typeof first === 'string' ? firstWords(first) : ''
}

function Footer({
  because: [before, after],
  namesRisk,
  stops,
  ...who
}: Omit<Whole, 'letter'> & Pick<Letter, 'because'>) {
  if (who.trader === '')
    return (
      <>
        {namesRisk && <Risk />}
        You get this mail because {before} {after}.{stops}
      </>
    )
  return (
    <>
      {namesRisk && <Risk />}
      You get this mail because {before} <QuietLink href={traderUrl(who)}>@{who.trader}</QuietLink> {after}.
      {stops}
      <LeaveLink {...who} />
    </>
  )
}

function letterText({ letter, namesRisk, stops, ...who }: Whole): string {
  const { subject, paragraphs, action } = letter
  const [before, after] = letter.because
  const about = who.trader === '' ? '' : ` @${who.trader}`
  const link = about && `@${who.trader}: ${traderUrl(who)}\n${leaveText(who)}`
  return `${[subject, ...paragraphs].map(paragraphText).join('\n\n')}

${action.label}:
${action.url}

${namesRisk ? `${RISK_TEXT}\n\n` : ''}--
${wrap(`You get this mail because ${before}${about} ${after}.${stops}`)}
${link}`
}

function paragraphText(words: string | Quote): string {
  return typeof words === 'string' ? wrap(words) : words.quote
}
