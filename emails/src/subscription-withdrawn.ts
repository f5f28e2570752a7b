import { formatMoney } from '@tradepost/contract/money'
import { returnedPart } from '@tradepost/contract/returned-part'
import * as z from 'zod'
import { formatUtc } from './instants.ts'
import {
  defineLetter,
  feeWords,
  type Letter,
  money,
  OF_SUBSCRIBER,
  OF_TRADER,
  SAMPLE_TRADER,
  share,
  trader,
} from './letter.tsx'
import { subscriptionsUrl } from './links.ts'
import type { Sender } from './mail.ts'

/** @property amountCents that go back, of `paidCents` */
const facts = z.object({
  ...trader,
  ...money,
  ...share,
  to: z.enum(['subscriber', 'trader']),
  /** ISO 8601. */
  at: z.string(),
  paidCents: z.int(),
  /** The trader has published something in the time that was paid, until `asOf`. */
  delivered: z.boolean(),
  /** Up to ten minutes before `at`, since an amount that was shown holds. Mails of an earlier version say neither this nor the next. */
  asOf: z.optional(z.string()),
  /** Days of the paid time that were left, where they decided the amount. */
  daysLeft: z.optional(z.nullable(z.int())),
})
type Props = z.infer<typeof facts> & Sender

const sample = {
  ...SAMPLE_TRADER,
  at: '2026-11-29T15:04:05.000Z',
  paidCents: 1250,
  amountCents: 963,
  shareCents: 867,
  currency: 'usd',
  delivered: true,
  asOf: '2026-11-29T15:01:58.000Z',
  daysLeft: 23,
}
const whole = { ...sample, amountCents: 1250, shareCents: 1125, delivered: false, daysLeft: null }
const rest = { ...whole, amountCents: 750, shareCents: 675 }

/** To both, at once after a withdrawal: what goes back, and why (rule G-126). */
export const subscriptionWithdrawn = defineLetter({
  category: 'money',
  // Somebody who is suspended can leave too.
  withheldFrom: ['suppressed'],
  facts,
  letter: (props) => (props.to === 'subscriber' ? toSubscriber(props) : toTrader(props)),
  samples: {
    'withdrawn-to-subscriber': { ...sample, to: 'subscriber' },
    'withdrawn-to-subscriber-whole': { ...whole, to: 'subscriber' },
    'withdrawn-to-subscriber-rest': { ...rest, to: 'subscriber' },
    'withdrawn-to-subscriber-nothing': { ...sample, amountCents: 0, to: 'subscriber' },
    'withdrawn-to-trader': { ...sample, to: 'trader' },
    'withdrawn-to-trader-whole': { ...whole, to: 'trader' },
    'withdrawn-to-trader-nothing': { ...sample, amountCents: 0, to: 'trader' },
  },
})

function toSubscriber(props: Props): Letter {
  const { amountCents, at, currency, origin, trader } = props
  const back = formatMoney(amountCents, currency)
  return {
    subject:
      amountCents === 0
        ? `You have withdrawn from @${trader}`
        : `You have withdrawn from @${trader}: ${back} is on its way back`,
    paragraphs: [
      `You withdrew from your subscription to @${trader} on ${formatUtc(at)}. It ended at once, and you will not be charged for it again.`,
      returned(props),
      ...(amountCents === 0
        ? []
        : [
            'The money goes to the card that paid it. Banks take up to ten days to show it. There is nothing for you to do.',
          ]),
    ],
    action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
    because: OF_SUBSCRIBER,
  }
}

function returned(props: Props): string {
  if (props.amountCents === 0)
    return `Of the ${formatMoney(props.paidCents, props.currency)} that you paid nothing goes back, since it has gone back before.`
  const back = `You get back ${returnedPart({ ...props, returnsCents: props.amountCents })}`
  return props.delivered
    ? `${back}.`
    : `${back}, since ${by(props)}nothing was published in the time that you paid for.`
}

/** Something may have been published between what was shown and the press. The time that was paid runs on behind it. */
function by({ asOf }: Props): string {
  return asOf === undefined ? '' : `by ${formatUtc(asOf)} `
}

function toTrader(props: Props): Letter {
  const { amountCents, at, currency, delivered, origin } = props
  const back = formatMoney(amountCents, currency)
  const part = returnedPart({ ...props, returnsCents: amountCents }, 'their')
  const why = delivered ? '' : `, since ${by(props)}you had published nothing in the time that was paid`
  const money =
    amountCents === 0
      ? 'Nothing is returned, since their payment has gone back before.'
      : `They get back ${part}${why}. ${taken(props)}`
  return {
    subject:
      amountCents === 0 ? 'A subscriber has withdrawn' : `A subscriber has withdrawn: ${back} is returned`,
    paragraphs: [
      `Somebody withdrew from their subscription to you on ${formatUtc(at)}. Everybody can, within fourteen days of their first payment.`,
      money,
      'Their subscription has ended. There is nothing for you to do.',
    ],
    action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
    because: OF_TRADER,
  }
}

function taken(sums: Props): string {
  const yours =
    sums.shareCents === undefined
      ? 'Your share of it'
      : `Your share of it, ${formatMoney(sums.shareCents, sums.currency)},`
  return `${yours} is taken back from your balance at Stripe, and the platform returns its fee${feeWords(sums)}.`
}
