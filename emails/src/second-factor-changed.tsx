import { BRAND } from '@tradepost/contract/brand'
import { Layout } from './layout.tsx'
import { profileUrl } from './links.ts'
import { Button, Fact, Facts, Heading, Paragraph } from './parts.tsx'
import { wrap } from './wrap.ts'

export type SecondFactorChangedProps = {
  change: 'added' | 'removed'
  /** Whether other authenticator apps guard the account all the same. */
  others: boolean
  /** ISO 8601 in UTC. */
  at: string
  /** From where it was done, in plain words; null when the operator did it. */
  from: { device: string; network: string | null } | null
  /** Public address of the product, without a slash at the end. */
  origin: string
}

export function changedSubject({ change, others }: SecondFactorChangedProps): string {
  if (others) return `An authenticator app was ${change}`
  return `Two-step verification was turned ${change === 'added' ? 'on' : 'off'}`
}

/** To the owner of the account, whoever did it: a stolen session must not lock its owner out unnoticed (decision 0030). */
export function SecondFactorChanged(props: SecondFactorChangedProps) {
  return (
    <Layout title={changedSubject(props)} preview={meaning(props)} footer={because}>
      <Heading>{changedSubject(props)}</Heading>
      <Paragraph>{meaning(props)}</Paragraph>
      <Facts>
        {facts(props).map(([label, value]) => (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ))}
      </Facts>
      <Paragraph>{remedy(props)}</Paragraph>
      <Button href={profileUrl(props.origin)}>Open Account &gt; Profile</Button>
    </Layout>
  )
}

export function secondFactorChangedText(props: SecondFactorChangedProps): string {
  const lines = facts(props).map(([label, value]) => `${label}: ${value}`)
  return `${wrap(changedSubject(props))}

${wrap(meaning(props))}

${lines.join('\n')}

${wrap(remedy(props))}

Open Account > Profile:
${profileUrl(props.origin)}

--
${wrap(because)}
`
}

const because = `You get this mail because of your account on ${BRAND}. Mails about its security cannot be stopped.`

function meaning({ change, others }: SecondFactorChangedProps): string {
  if (change === 'added') {
    return others
      ? 'From now on its codes confirm a sign-in to your account as well.'
      : 'From now on signing in to your account also takes a code from an authenticator app. Whatever was signed in without it was signed out.'
  }
  return others
    ? 'Its codes no longer sign in to your account; your other authenticator apps still guard it.'
    : 'From now on the code from your e-mail is enough to sign in to your account.'
}

function facts({ at, from }: SecondFactorChangedProps): [string, string][] {
  const when: [string, string] = ['When', timeFormat.format(new Date(at))]
  if (from === null) return [when, ['By', `the operator of ${BRAND}`]]
  const network: [string, string][] = from.network === null ? [] : [['Network', from.network]]
  return [when, ['Device', from.device], ...network]
}

const timeFormat = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'long',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

function remedy({ change }: SecondFactorChangedProps): string {
  const wayIn =
    change === 'added'
      ? 'If you cannot sign in any more, answer this mail.'
      : 'If you did not ask for it, answer this mail too.'
  return `If it was you, there is nothing to do. If it was not, somebody else uses your account: end every session that is not yours in Account > Profile, and see to it that nobody else reads your e-mail. ${wayIn}`
}
