import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { formatUtc } from './instants.ts'
import { defineLetter, type Letter } from './letter.tsx'

const OF_ACCOUNT: Letter['because'] = ['of your account', `on ${BRAND}`]
const REMAINS =
  'Figures of your positions stay without a name, and payments for as long as the law asks for them; invoices stay at Stripe.'

const facts = z.object({
  /** Why the person is mailed: the closing itself, two days that are left, or somebody who wants to sign in to the closed account. */
  occasion: z.enum(['closed', 'two_days_left', 'sign_in']),
  /** Until when it is given back; ISO 8601 in UTC. */
  eraseAt: z.iso.datetime(),
  /** An operator's, as they wrote it; null for the person's own wish. */
  reason: z.nullable(z.string()),
  /** Of what the mail's link gives back. */
  closingId: z.uuid(),
})
/** @property reopenUrl where the account is given back */
const drawn = z.object({ reopenUrl: z.string() })

/** To the person whose account is closed (rule G-117). */
export const accountClosed = defineLetter({
  category: 'account',
  withheldFrom: ['suppressed'],
  afterClosing: true,
  facts,
  drawn,
  letter: ({ eraseAt, occasion, reason, reopenUrl }) => ({
    subject:
      occasion === 'two_days_left'
        ? `Your ${BRAND} account will be erased in two days`
        : `Your ${BRAND} account is closed`,
    paragraphs: [
      ...OPENINGS[occasion],
      ...(reason === null ? [] : ['We have closed it, for this reason:', { quote: reason }]),
      `Until ${formatUtc(eraseAt)} one press gives it back: signing in, your name, your place on the boards and your record. Subscriptions that have ended and positions that were closed do not come back.`,
      `Then your address, your name and everything that you wrote are erased. ${REMAINS}`,
      ...(occasion === 'closed' && reason === null
        ? [
            'If it was not you who closed it, give it back, and make sure that nobody else can read your e-mail.',
          ]
        : []),
    ],
    action: { label: 'Give my account back', url: reopenUrl },
    because: OF_ACCOUNT,
  }),
  samples: {
    'account-closed': sample('closed', null),
    'account-closed-by-operator': sample('closed', 'You asked us to by letter.'),
    'account-closed-two-days-left': sample('two_days_left', null),
    'account-closed-sign-in': sample('sign_in', null),
  },
})

const OPENINGS: Record<z.infer<typeof facts>['occasion'], string[]> = {
  closed: [
    'Your account is closed. You are signed out everywhere, and get no more mails but those about the closing.',
    'What you pay for has ended, and the part that is unused goes back to your card. Whoever follows you is told, and gets theirs back. Your open positions are closed; those that you opened today, tomorrow.',
  ],
  two_days_left: ['Twelve days ago your account was closed.'],
  sign_in: [
    'Somebody, probably you, asked for a code to sign in. There is none while your account is closed.',
  ],
}

function sample(occasion: z.infer<typeof facts>['occasion'], reason: string | null) {
  return {
    occasion,
    reason,
    eraseAt: '2026-12-02T15:04:05.000Z',
    closingId: '019ab0f0-0000-7000-8000-000000000001',
    reopenUrl:
      'https://tradepost.example/mail/reopen/AbC-_0123456789abcdefgAbC-_0123456789abcdefgAbC-_0123456789abcde',
  }
}

/** To the person whose account was given back. */
export const accountReopened = defineLetter({
  category: 'account',
  withheldFrom: ['suppressed'],
  facts: z.object({}),
  letter: ({ origin }) => ({
    subject: `Your ${BRAND} account is open again`,
    paragraphs: [
      'Your account is given back. You can sign in as before; your name, your record and your place on the boards are there.',
      'Subscriptions that had ended and positions that were closed stay so.',
      'If it was not you, close it again, and make sure that nobody else can read your e-mail.',
    ],
    action: { label: `Go to ${BRAND}`, url: origin },
    because: OF_ACCOUNT,
  }),
  samples: { 'account-reopened': {} },
})

/** The last mail to somebody who is being erased. */
export const accountErased = defineLetter({
  category: 'account',
  withheldFrom: ['suppressed'],
  afterClosing: true,
  facts: z.object({}),
  letter: ({ origin }) => ({
    subject: `Your ${BRAND} account is erased`,
    paragraphs: [
      'This is the last mail that you get from us. Your address, your name and everything that you wrote are being erased, and nobody gets your name for a year.',
      REMAINS,
      'You are welcome to begin anew at any time.',
    ],
    action: { label: `Go to ${BRAND}`, url: origin },
    because: OF_ACCOUNT,
  }),
  samples: { 'account-erased': {} },
})
