import { BRAND } from '@tradepost/contract/brand'
import { CODE_LIFE_MINUTES, LINK_LIFE_MINUTES } from '@tradepost/contract/limits'
import { Layout } from './layout.tsx'
import { BigCode, Button, Heading, Paragraph } from './parts.tsx'
import { wrap } from './wrap.ts'

export type SignInProps = {
  /** Six digits. */
  code: string
  /** Address that signs in automatically or after one click (decision G-03). */
  link: string
  /** Public address of the product, without a slash at the end. */
  origin: string
}

/** The code comes first: most people read it from the inbox list and never open the mail. */
export function signInSubject({ code }: SignInProps): string {
  return `${code} is your ${BRAND} sign-in code`
}

export function SignIn(props: SignInProps) {
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

export function signInText(props: SignInProps): string {
  return `${props.code}

${wrap(`is your ${BRAND} sign-in code. Type it where you asked for it. It works once, for ${CODE_LIFE_MINUTES} minutes.`)}

Or open this link, on any device. It works once, for ${LINK_LIFE_MINUTES} minutes:
${props.link}

--
${wrap(because(props))}
`
}
