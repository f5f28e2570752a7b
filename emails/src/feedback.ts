import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { defineMail } from './mail.ts'

/** To the operator: the text of the feedback form (rule G-64). */
export const feedback = defineMail({
  category: 'operator',
  withheldFrom: [],
  facts: z.object({ feedbackId: z.uuid() }),
  drawn: z.object({
    body: z.string(),
    /** Their username; null while they have none. */
    author: z.nullable(z.string()),
    address: z.string(),
    /** ISO 8601 in UTC. */
    at: z.iso.datetime(),
  }),
  write: ({ body, author, address, at }) => ({
    subject: `${BRAND}: feedback`,
    html: null,
    text: `${body}\n\n-- \n${author ?? 'no username yet'}, ${address}, ${at}\n`,
  }),
  samples: {
    feedback: {
      feedbackId: '019ab0f0-0000-7000-8000-000000000001',
      body: 'The search finds nothing when I type a space after the name.',
      author: 'maria',
      address: 'maria@people.example',
      at: '2026-11-18T15:04:05.000Z',
    },
  },
})
