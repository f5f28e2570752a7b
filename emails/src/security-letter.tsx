import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { formatUtc } from './instants.ts'
import { Layout } from './layout.tsx'
import { profileUrl } from './links.ts'
import type { RenderedMail } from './mail.ts'
import { Button, Fact, Facts, Heading, Paragraph, QuietLink } from './parts.tsx'
import { toHtml } from './to-html.ts'
import { wrap } from './wrap.ts'

/** From where something was done, in plain words. */
export const place = z.object({ device: z.string(), network: z.nullable(z.string()) })
type Place = z.infer<typeof place>
export const SAMPLE_PLACE: Place = { device: 'Safari on iPhone', network: '203.0.113.*' }

/** A mail about the security of an account: its HTML and its text contain the same words. */
type SecurityLetter = {
  subject: string
  meaning: string
  facts: [label: string, value: string][]
  /** The advice for when it was somebody else. */
  remedy: string
  /** Where what happened is undone; null when it cannot be. */
  undoUrl: string | null
  /** The words of that link, where it undoes nothing. */
  linkLabel?: string
  /** Public address of the product, without a slash at the end. */
  origin: string
}

const BECAUSE = `You get this mail because of your account on ${BRAND}. Mails about its security cannot be stopped.`

/** The letter in its three faces. */
export function renderSecurityLetter(letter: SecurityLetter): RenderedMail {
  return { subject: letter.subject, html: toHtml(<SecurityMail {...letter} />), text: securityText(letter) }
}

const UNDO_LABEL = 'Undo this change'

function SecurityMail({ subject, meaning, facts, remedy, undoUrl, linkLabel, origin }: SecurityLetter) {
  return (
    <Layout title={subject} preview={meaning} footer={BECAUSE}>
      <Heading>{subject}</Heading>
      <Paragraph>{meaning}</Paragraph>
      {facts.length > 0 && (
        <Facts>
          {facts.map(([label, value]) => (
            <Fact key={label} label={label}>
              {value}
            </Fact>
          ))}
        </Facts>
      )}
      <Paragraph>{remedy}</Paragraph>
      {undoUrl === null ? (
        <Button href={profileUrl(origin)}>Open Account &gt; Profile</Button>
      ) : (
        <>
          <Button href={undoUrl}>{linkLabel ?? UNDO_LABEL}</Button>
          <p style={{ margin: '16px 0 0' }}>
            <QuietLink href={profileUrl(origin)}>Open Account &gt; Profile</QuietLink>
          </p>
        </>
      )}
    </Layout>
  )
}

function securityText({
  subject,
  meaning,
  facts,
  remedy,
  undoUrl,
  linkLabel,
  origin,
}: SecurityLetter): string {
  const undo = undoUrl === null ? '' : `${linkLabel ?? UNDO_LABEL}:\n${undoUrl}\n\n`
  return `${wrap(subject)}

${wrap(meaning)}

${facts.map(([label, value]) => `${label}: ${value}\n`).join('')}${facts.length > 0 ? '\n' : ''}${wrap(remedy)}

${undo}Open Account > Profile:
${profileUrl(origin)}

--
${wrap(BECAUSE)}
`
}

/** When and from where. @param at ISO 8601 in UTC @param from null when the operator did it */
export function factsOf({ at, from }: { at: string; from: Place | null }): SecurityLetter['facts'] {
  const when: [string, string] = ['When', formatUtc(at)]
  if (from === null) return [when, ['By', `the operator of ${BRAND}`]]
  const network: [string, string][] = from.network === null ? [] : [['Network', from.network]]
  return [when, ['Device', from.device], ...network]
}
