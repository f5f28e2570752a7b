import { BRAND } from '@tradepost/contract/brand'
import { CODE_LIFE_MINUTES } from '@tradepost/contract/limits'
import { Layout } from './layout.tsx'
import { profileUrl } from './links.ts'
import { BigCode, Heading, Paragraph, QuietLink } from './parts.tsx'
import { wrap } from './wrap.ts'

export type AccountCodeProps = {
  /** Six digits. */
  code: string
  /** What typing it allows: to change the second step of signing in, or to undo such a change. */
  purpose: 'reauthentication' | 'factor_undo'
  /** Public address of the product, without a slash at the end. */
  origin: string
}

/** The code comes first, as in the sign-in mail, and what it is for: nobody shall take one for the other. */
export function accountCodeSubject({ code, purpose }: AccountCodeProps): string {
  return purpose === 'reauthentication'
    ? `${code} confirms a change of your ${BRAND} sign-in`
    : `${code} undoes a change of your ${BRAND} sign-in`
}

/** To the owner of an account: the code that a change of its sign-in methods asks for (decision 0031). */
export function AccountCode(props: AccountCodeProps) {
  return (
    <Layout title={accountCodeSubject(props)} preview={meaning(props)} footer={<Footer {...props} />}>
      <Heading>Your confirmation code</Heading>
      <BigCode>{props.code}</BigCode>
      <Paragraph>{meaning(props)}</Paragraph>
      <Paragraph>{remedy(props)}</Paragraph>
    </Layout>
  )
}

function Footer({ origin }: AccountCodeProps) {
  return (
    <>
      {because} <QuietLink href={profileUrl(origin)}>Account &gt; Profile</QuietLink>
    </>
  )
}

export function accountCodeText(props: AccountCodeProps): string {
  return `${props.code}

${wrap(meaning(props))}

${wrap(remedy(props))}

Account > Profile:
${profileUrl(props.origin)}

--
${wrap(because)}
`
}

const because = `You get this mail because of your account on ${BRAND}. Mails about its security cannot be stopped.`

function meaning({ purpose }: AccountCodeProps): string {
  const what =
    purpose === 'reauthentication'
      ? 'Somebody who is signed in to your account wants to change two-step verification.'
      : 'Somebody has opened the link of our mail about two-step verification, to undo that change.'
  return `${what} If it is you, type this code where you asked for it. It works once, for ${CODE_LIFE_MINUTES} minutes.`
}

function remedy({ purpose }: AccountCodeProps): string {
  const keep = 'Never give the code to anyone; we do not ask for it.'
  return purpose === 'reauthentication'
    ? `If it is not you, somebody else uses your account: end every session that is not yours in Account > Profile. ${keep}`
    : `If it is not you, somebody else reads your e-mail: see to that first. ${keep}`
}
