import { BRAND } from '@tradepost/contract/brand'
import type { ReactNode } from 'react'
import { Layout } from './layout.tsx'
import { profileUrl } from './links.ts'
import type { RenderedMail } from './mail.ts'
import { BigCode, Heading, Paragraph, QuietLink } from './parts.tsx'
import { toHtml } from './to-html.ts'
import { wrap } from './wrap.ts'

/** A mail with a code for something that was asked for: its HTML and its text contain the same words. */
type CodeLetter = {
  /** Begins with the code, and says what it is for: nobody shall take one for another. */
  subject: string
  heading: string
  code: string
  /** The effect of the code, in sentences. */
  meaning: string
  /** Facts that stand between the two, such as an address. */
  facts?: { html: ReactNode; text: string }
  /** The advice for when it was somebody else. */
  remedy: string
  /** To somebody who may have no account: their mail has no way into one. */
  isStranger?: boolean
  /** Public address of the product, without a slash at the end. */
  origin: string
}

/** The letter in its three faces. */
export function renderCodeLetter(letter: CodeLetter): RenderedMail {
  return { subject: letter.subject, html: toHtml(<CodeMail {...letter} />), text: codeText(letter) }
}

function CodeMail(letter: CodeLetter) {
  return (
    <Layout title={letter.subject} preview={letter.meaning} footer={<Footer {...letter} />}>
      <Heading>{letter.heading}</Heading>
      <BigCode>{letter.code}</BigCode>
      <Paragraph>{letter.meaning}</Paragraph>
      {letter.facts?.html}
      <Paragraph>{letter.remedy}</Paragraph>
    </Layout>
  )
}

function Footer({ isStranger = false, origin }: CodeLetter) {
  if (isStranger) return STRANGER
  return (
    <>
      {BECAUSE} <QuietLink href={profileUrl(origin)}>Account &gt; Profile</QuietLink>
    </>
  )
}

function codeText({ code, facts, isStranger = false, meaning, origin, remedy }: CodeLetter): string {
  const way = isStranger ? '' : `Account > Profile:\n${profileUrl(origin)}\n\n`
  return `${code}

${wrap(meaning)}

${facts ? `${facts.text}\n\n` : ''}${wrap(remedy)}

${way}--
${wrap(isStranger ? STRANGER : BECAUSE)}
`
}

const BECAUSE = `You get this mail because of your account on ${BRAND}. Mails about its security cannot be stopped.`
const STRANGER = `You get this mail because somebody typed your address on ${BRAND}. No other mail follows from it.`
