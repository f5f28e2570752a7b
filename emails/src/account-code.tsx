import { BRAND } from '@tradepost/contract/brand'
import { CODE_LIFE_MINUTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { Layout } from './layout.tsx'
import { profileUrl } from './links.ts'
import { defineMail, type Sender } from './mail.ts'
import { BigCode, Heading, Paragraph, QuietLink } from './parts.tsx'
import { toHtml } from './to-html.ts'
import { wrap } from './wrap.ts'

const drawn = z.object({
  /** Six digits. */
  code: z.string(),
  /** The change that the code allows: of the second step of signing in, or the undoing of such a change. */
  purpose: z.enum(['reauthentication', 'factor_undo']),
})
type AccountCodeProps = z.infer<typeof drawn> & Sender

const request = { requestId: '019ab0f0-0000-7000-8000-000000000001', code: '042137' }

/** To the owner of an account: the code that a change of its sign-in methods asks for (ADR 0031). */
export const accountCode = defineMail({
  category: 'sign-in',
  withheldFrom: [],
  facts: z.object({ requestId: z.uuid() }),
  drawn,
  write: (props) => ({
    subject: accountCodeSubject(props),
    html: toHtml(<AccountCode {...props} />),
    text: accountCodeText(props),
  }),
  samples: {
    'confirmation-code': { ...request, purpose: 'reauthentication' },
    'undo-code': { ...request, purpose: 'factor_undo' },
  },
})

/** The code comes first, as in the sign-in mail, and what it is for: nobody shall take one for the other. */
function accountCodeSubject({ code, purpose }: AccountCodeProps): string {
  return purpose === 'reauthentication'
    ? `${code} confirms a change of your ${BRAND} sign-in`
    : `${code} undoes a change of your ${BRAND} sign-in`
}

function AccountCode(props: AccountCodeProps) {
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

function accountCodeText(props: AccountCodeProps): string {
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
