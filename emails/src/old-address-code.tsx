import { BRAND } from '@tradepost/contract/brand'
import { CODE_LIFE_MINUTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { renderCodeLetter } from './code-letter.tsx'
import { defineMail } from './mail.ts'
import { Fact, Facts } from './parts.tsx'

/** To the address of an account that shall get another one: without this code nobody changes it (rule G-119). */
export const oldAddressCode = defineMail({
  category: 'sign-in',
  withheldFrom: [],
  facts: z.object({ requestId: z.uuid() }),
  drawn: z.object({
    /** Six digits. */
    code: z.string(),
    newEmail: z.string(),
  }),
  write: ({ code, newEmail, origin }) =>
    renderCodeLetter({
      subject: `${code} moves your ${BRAND} account to another address`,
      heading: 'Your code for another address',
      code,
      meaning: `Somebody who is signed in to your account wants it to have another e-mail address. If it is you, type this code where you asked for it, beside the one that we sent to the new address. It works once, for ${CODE_LIFE_MINUTES} minutes.`,
      facts: {
        html: (
          <Facts>
            <Fact label="New address">{newEmail}</Fact>
          </Facts>
        ),
        text: `New address: ${newEmail}`,
      },
      remedy:
        'If it is not you, somebody else uses your account: end every session that is not yours in Account > Profile, which takes the change back as well. Never give the code to anyone; we do not ask for it.',
      origin,
    }),
  samples: {
    'old-address-code': {
      requestId: '019ab0f0-0000-7000-8000-000000000001',
      code: '042137',
      newEmail: 'ada.new@example.com',
    },
  },
})
