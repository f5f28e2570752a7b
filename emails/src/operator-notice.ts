import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { defineMail } from './mail.ts'

/**
 * To the operator: something that needs a person. The subject holds words of ours alone; text that people typed stands in the
 * text.
 */
export const operatorNotice = defineMail({
  category: 'operator',
  withheldFrom: [],
  facts: z.object({ subject: z.string(), text: z.string() }),
  drawn: null,
  write: ({ subject, text }) => ({ subject: `${BRAND}: ${subject}`, html: null, text }),
  samples: {
    'operator-notice': {
      subject: 'payments: Stripe refused a refund',
      text: "Stripe refused a refund: in_1\n\nLook it up in Stripe's dashboard.\n",
    },
  },
})
