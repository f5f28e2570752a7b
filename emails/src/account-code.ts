import { BRAND } from '@tradepost/contract/brand'
import { CODE_LIFE_MINUTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { renderCodeLetter } from './code-letter.tsx'
import { defineMail } from './mail.ts'

const drawn = z.object({
  /** Six digits. */
  code: z.string(),
  /** The code allows a change of the second step of signing in, a file of all data, a closing, or the undoing of such a change. */
  purpose: z.enum(['reauthentication', 'factor_undo']),
})
type AccountCodeProps = z.infer<typeof drawn>

const request = { requestId: '019ab0f0-0000-7000-8000-000000000001', code: '042137' }

/** To the owner of an account: the code that a change of its sign-in methods asks for (ADR 0031). */
export const accountCode = defineMail({
  category: 'sign-in',
  withheldFrom: [],
  facts: z.object({ requestId: z.uuid() }),
  drawn,
  write: ({ code, origin, purpose }) =>
    renderCodeLetter({
      subject: subjectOf({ code, purpose }),
      heading: 'Your confirmation code',
      code,
      meaning: meaning(purpose),
      remedy: remedy(purpose),
      origin,
    }),
  samples: {
    'confirmation-code': { ...request, purpose: 'reauthentication' },
    'undo-code': { ...request, purpose: 'factor_undo' },
  },
})

function subjectOf({ code, purpose }: AccountCodeProps): string {
  return purpose === 'reauthentication'
    ? `${code} confirms that it is you at ${BRAND}`
    : `${code} undoes a change of your ${BRAND} sign-in`
}

function meaning(purpose: AccountCodeProps['purpose']): string {
  const what =
    purpose === 'reauthentication'
      ? 'Somebody who is signed in to your account wants to change two-step verification, to download all of your data, or to close the account.'
      : 'Somebody has opened the link of our mail about two-step verification, to undo that change.'
  return `${what} If it is you, type this code where you asked for it. It works once, for ${CODE_LIFE_MINUTES} minutes.`
}

function remedy(purpose: AccountCodeProps['purpose']): string {
  const keep = 'Never give the code to anyone; we do not ask for it.'
  return purpose === 'reauthentication'
    ? `If it is not you, somebody else uses your account: end every session that is not yours in Account > Profile. ${keep}`
    : `If it is not you, somebody else reads your e-mail: see to that first. ${keep}`
}
