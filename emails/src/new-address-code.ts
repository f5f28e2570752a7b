import { BRAND } from '@tradepost/contract/brand'
import { CODE_LIFE_MINUTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { renderCodeLetter } from './code-letter.tsx'
import { defineMail } from './mail.ts'
import { renderSecurityLetter } from './security-letter.tsx'

/**
 * To the address that an account shall get (rule G-119). Its reader may know nothing of it, so the mail names nobody. Where the address is
 * somebody's already there is no code, and only this mail says so.
 */
export const newAddressCode = defineMail({
  category: 'sign-in',
  withheldFrom: [],
  facts: z.object({ requestId: z.uuid() }),
  /** Six digits; null where the address is somebody's. */
  drawn: z.object({ code: z.nullable(z.string()) }),
  write: ({ code, origin }) => (code === null ? takenLetter(origin) : codeLetter(code, origin)),
  samples: {
    'new-address-code': { requestId: '019ab0f0-0000-7000-8000-000000000001', code: '730518' },
    'new-address-taken': { requestId: '019ab0f0-0000-7000-8000-000000000001', code: null },
  },
})

function codeLetter(code: string, origin: string) {
  return renderCodeLetter({
    subject: `${code} confirms this address for ${BRAND}`,
    heading: 'Confirm this address',
    code,
    meaning: `Somebody wants to use this address for their account on ${BRAND}. If it is you, type this code where you asked for it, beside the one that we sent to the address you have now. It works once, for ${CODE_LIFE_MINUTES} minutes.`,
    remedy:
      'If it is not you, there is nothing to do: without the code nobody gets your address. Never give it to anyone; we do not ask for it.',
    isStranger: true,
    origin,
  })
}

function takenLetter(origin: string) {
  return renderSecurityLetter({
    subject: 'Somebody wanted to use your address for another account',
    meaning: `An account on ${BRAND} was to get this address, which your account has already. Nothing has changed, and nobody was told that the address is yours.`,
    facts: [],
    remedy:
      'If it was you: an address belongs to one account. Give the account that has it another address first, in Account > Profile. If it was not you, there is nothing to do.',
    undoUrl: null,
    origin,
  })
}
