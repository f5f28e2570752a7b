import { BRAND } from '@tradepost/contract/brand'
import { CODE_LIFE_MINUTES, LINK_LIFE_MINUTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { Layout } from './layout.tsx'
import { defineMail, type Sender } from './mail.ts'
import { BigCode, Button, Heading, Paragraph } from './parts.tsx'
import { toHtml } from './to-html.ts'
import { wrap } from './wrap.ts'

const drawn = z.object({
  /** Six digits. */
  code: z.string(),
  /** Address that signs in automatically or after one click (rule G-03). */
  link: z.string(),
})
type SignInProps = z.infer<typeof drawn> & Sender

/** The mail that holds a code and a link (LOGIN-04). */
export const signIn = defineMail({
  category: 'sign-in',
  withheldFrom: [],
  facts: z.object({ challengeId: z.uuid() }),
  drawn,
  write: (props) => ({
    subject: signInSubject(props),
    html: toHtml(<SignIn {...props} />),
    text: signInText(props),
  }),
  samples: {
    'sign-in': {
      challengeId: '019ab0f0-0000-7000-8000-000000000001',
      code: '042137',
      link: 'https://tradepost.example/login#token_hash=q6Lr0yWfYkS0zQxKxNnGg1n7p1mJ4fJm7e5kq3o2b9A&type=email',
    },
  },
})

/** The code comes first: most people read it from the inbox list and never open the mail. */
function signInSubject({ code }: SignInProps): string {
  return `${code} is your ${BRAND} sign-in code`
}

function SignIn(props: SignInProps) {
  return (
    <Layout title={signInSubject(props)} preview={lives} footer={<SignInFooter {...props} />}>
      <Heading>Your sign-in code</Heading>
      <BigCode>{props.code}</BigCode>
      <Paragraph>Type it where you asked for it. It works once, for {CODE_LIFE_MINUTES} minutes.</Paragraph>
      <Paragraph>Or use this link, on any device. It works once, for {LINK_LIFE_MINUTES} minutes.</Paragraph>
      <Button href={props.link}>Sign in to {BRAND}</Button>
    </Layout>
  )
}

const lives = `The code works for ${CODE_LIFE_MINUTES} minutes, the link for ${LINK_LIFE_MINUTES}.`

function SignInFooter(props: SignInProps) {
  return <>{because(props)}</>
}

function because({ origin }: SignInProps): string {
  return `You get this mail because someone asked to sign in at ${origin} with your address. If it was not you, ignore it: nobody can sign in without it. Never give the code to anyone; we do not ask for it.`
}

function signInText(props: SignInProps): string {
  return `${props.code}

${wrap(`is your ${BRAND} sign-in code. Type it where you asked for it. It works once, for ${CODE_LIFE_MINUTES} minutes.`)}

Or open this link, on any device. It works once, for ${LINK_LIFE_MINUTES} minutes:
${props.link}

--
${wrap(because(props))}
`
}
