import { BRAND } from '@tradepost/contract/brand'
import { Layout } from './layout.tsx'
import { traderUrl } from './links.ts'
import { Button, Heading, Paragraph, QuietLink } from './parts.tsx'
import { wrap } from './wrap.ts'

/** What every mail about money needs to know. */
export type MoneyMailProps = {
  /** Username of the one who is followed, without the @; empty where it is about nobody. */
  trader: string
  /** Public address of the product, without a slash at the end. */
  origin: string
}

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

const WHATEVER = 'Mails about money come even when mails about positions are stopped.'

export function LetterMail({ letter, ...who }: MoneyMailProps & { letter: Letter }) {
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

function Footer({ because: [before, after], ...who }: MoneyMailProps & Pick<Letter, 'because'>) {
  if (who.trader === '')
    return (
      <>
        You get this mail because {before} {after}. {WHATEVER}
      </>
    )
  return (
    <>
      You get this mail because {before} <QuietLink href={traderUrl(who)}>@{who.trader}</QuietLink> {after}.{' '}
      {WHATEVER}
    </>
  )
}

export function letterText({ letter, ...who }: MoneyMailProps & { letter: Letter }): string {
  const { subject, paragraphs, action } = letter
  const [before, after] = letter.because
  const about = who.trader === '' ? '' : ` @${who.trader}`
  const link = about && `@${who.trader}: ${traderUrl(who)}\n`
  return `${[subject, ...paragraphs].map(wrap).join('\n\n')}

${action.label}:
${action.url}

--
${wrap(`You get this mail because ${before}${about} ${after}. ${WHATEVER}`)}
${link}`
}
