import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { Layout } from './layout.tsx'
import { traderUrl } from './links.ts'
import { defineMail, type Mail, type MailCategory, type RenderedMail, type Sender } from './mail.ts'
import { Button, Heading, Paragraph, QuietLink } from './parts.tsx'
import { toHtml } from './to-html.ts'
import { wrap } from './wrap.ts'

/** Facts of nearly every mail about money: the one who is followed, as they spell their name, without the @. */
export const trader = { trader: z.string() }
export const money = { amountCents: z.int(), currency: z.string() }

export const SAMPLE_TRADER = { trader: 'maria' }
export const SAMPLE_MONEY = { amountCents: 1000, currency: 'usd' }

/** A mail in sentences, with one thing to do: its HTML and its text say the same words. */
export type Letter = {
  /** The line that must be enough in an inbox. */
  subject: string
  paragraphs: string[]
  action: { label: string; url: string }
  /** Why this person gets it, before and after the trader's name. */
  because: [string, string]
}

/** Why a subscriber gets it. */
export const OF_SUBSCRIBER: Letter['because'] = ['of your subscription to', `on ${BRAND}`]
/** Why a trader gets it. */
export const OF_TRADER: Letter['because'] = ['of a subscription to you,', `on ${BRAND}`]

/** Defines a mail that is a letter to the owner of an account, about money unless another category is named. */
export function defineLetter<Facts extends z.ZodObject>(mail: {
  category?: MailCategory
  facts: Facts
  letter(props: z.infer<Facts> & Sender): Letter
  samples: Record<string, z.infer<Facts>>
}): Mail<Facts, null> {
  const category = mail.category ?? 'money'
  const stops = category === 'money' ? ` ${WHATEVER}` : ''
  return defineMail<Facts, null>({
    category,
    facts: mail.facts,
    drawn: null,
    write: (props) => renderLetter({ ...about.parse(props), letter: mail.letter(props), stops }),
    samples: mail.samples,
  })
}

/** Whom the footer names, if anybody. */
const about = z.object({ trader: z.string().default(''), origin: z.string() })
/** `stops`: which mails stop this one, after a blank. */
type Whole = z.infer<typeof about> & { letter: Letter; stops: string }

function renderLetter(whole: Whole): RenderedMail {
  const { subject } = whole.letter
  return { subject, html: toHtml(<LetterMail {...whole} />), text: letterText(whole) }
}

const WHATEVER = 'Mails about money come even when mails about positions are stopped.'

function LetterMail({ letter, ...who }: Whole) {
  const { subject, paragraphs, action } = letter
  return (
    <Layout title={subject} preview={paragraphs[0] ?? ''} footer={<Footer {...who} {...letter} />}>
      <Heading>{subject}</Heading>
      {paragraphs.map((words) => (
        <Paragraph key={words}>{words}</Paragraph>
      ))}
      <Button href={action.url}>{action.label}</Button>
    </Layout>
  )
}

function Footer({
  because: [before, after],
  stops,
  ...who
}: Omit<Whole, 'letter'> & Pick<Letter, 'because'>) {
  if (who.trader === '')
    return (
      <>
        You get this mail because {before} {after}.{stops}
      </>
    )
  return (
    <>
      You get this mail because {before} <QuietLink href={traderUrl(who)}>@{who.trader}</QuietLink> {after}.
      {stops}
    </>
  )
}

function letterText({ letter, stops, ...who }: Whole): string {
  const { subject, paragraphs, action } = letter
  const [before, after] = letter.because
  const about = who.trader === '' ? '' : ` @${who.trader}`
  const link = about && `@${who.trader}: ${traderUrl(who)}\n`
  return `${[subject, ...paragraphs].map(wrap).join('\n\n')}

${action.label}:
${action.url}

--
${wrap(`You get this mail because ${before}${about} ${after}.${stops}`)}
${link}`
}
