import { paidStays } from './consent.ts'
import { type Leaving, WITHDRAWAL_DAYS, type Withdrawal } from './leaving.ts'
import { formatMoney } from './money.ts'
import { returnedPart } from './returned-part.ts'

/** One way out of a subscription, before it is taken (rule G-126): the same on the window and on the page behind a mailed link. */
export type LeavingStep = {
  /** Its result, a paragraph each. */
  words: string[]
  /** The result in one line. */
  short: string
  /** The label of the button that does it; null where there is nothing to press. */
  button: string | null
}

/** How the place that shows it writes instants: the exact time with its zone, and the day alone. Both get ISO 8601. */
type Shown = {
  time(iso: string): string
  day(iso: string): string
  /** Whether this product returns a month in which nothing reached the follower (rule G-127). */
  returnsEmptyMonths: boolean
}

/** The end with the time that is paid, or with the free days. */
export function cancelStep(leaving: Leaving, { day, returnsEmptyMonths, time }: Shown): LeavingStep {
  const { cancelAt, endsAt } = leaving
  const inTrial = leaving.inTrial === true
  if (endsAt !== null) {
    const ends = inTrial ? `with your free days, on ${time(endsAt)}` : `on ${time(endsAt)}`
    const words = [
      `It is canceled already, and ends ${ends}. Until then “Keep it” under Account > Subscriptions takes that back.`,
    ]
    return { words, short: `canceled already, ends on ${day(endsAt)}`, button: null }
  }
  if (cancelAt === null)
    return {
      words: ['No time is paid, so the subscription and your access end at once. Nothing more is charged.'],
      short: 'your access ends at once',
      button: 'Cancel now',
    }
  const until = inTrial ? `${time(cancelAt)}, when your free days end` : time(cancelAt)
  const money = inTrial
    ? 'Nothing was charged, and nothing will be.'
    : `Nothing more is charged. ${paidStays(returnsEmptyMonths)}`
  return {
    words: [
      `You keep your access until ${until}. ${money}`,
      'Until then “Keep it” under Account > Subscriptions takes this back.',
    ],
    short: `access until ${day(cancelAt)}`,
    button: `${inTrial ? 'End trial' : 'Cancel'} at ${day(cancelAt)}`,
  }
}

/** The end at once, with money back. */
export function withdrawStep({ asOf, withdrawal }: Leaving, { time }: Shown): LeavingStep {
  if (withdrawal === null)
    return {
      words: [
        `It can be canceled, and not withdrawn from: nothing was paid, or the ${WITHDRAWAL_DAYS} days from the first payment are over.`,
      ],
      short: 'not possible any more',
      button: null,
    }
  const { currency, returnsCents, until } = withdrawal
  const words = [
    returnWords(withdrawal, time(asOf)),
    'Your access ends at once, and you will not be charged again.',
  ]
  if (returnsCents > 0)
    words.push('The money goes to the card that paid it. Banks take up to ten days to show it.')
  words.push(`This is possible until ${time(until)}.`)
  return {
    words,
    short: returnsCents === 0 ? 'nothing comes back' : `${formatMoney(returnsCents, currency)} comes back`,
    button: 'Withdraw now',
  }
}

function returnWords(withdrawal: Withdrawal, asOf: string): string {
  if (withdrawal.returnsCents === 0) return 'Nothing is returned: all that you paid has gone back before.'
  const back = `You get back ${returnedPart(withdrawal)}`
  if (withdrawal.delivered) return `${back}.`
  return `${back}, since by ${asOf} nothing was published in the time that you paid for.`
}

/** When something happens, by the labels of the buttons that are there; true where there is none. */
export function beforePressing(steps: readonly LeavingStep[]): string {
  const labels = steps.flatMap(({ button }) => (button === null ? [] : [`“${button}”`]))
  return labels.length === 0
    ? 'Nothing was changed.'
    : `Nothing happens before you press ${labels.join(' or ')}.`
}
