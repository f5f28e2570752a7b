import { BRAND } from '@tradepost/contract/brand'
import { EXPORT_LINK_MINUTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { formatUtc } from './instants.ts'
import { defineMail } from './mail.ts'
import { factsOf, place, renderSecurityLetter, SAMPLE_PLACE } from './security-letter.tsx'

const facts = z.object({
  exportId: z.uuid(),
  /** ISO 8601 in UTC. */
  at: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  from: place,
})
/** @property url where the file is taken */
const drawn = z.object({ url: z.string() })

/** To the owner, whoever asked: the way to the file, and the word that somebody asked for it (rule G-118). */
export const exportReady = defineMail({
  category: 'security',
  withheldFrom: [],
  facts,
  drawn,
  write: ({ at, expiresAt, from, origin, url }) =>
    renderSecurityLetter({
      subject: `Your ${BRAND} data is ready to download`,
      meaning: `The link below gives one file with everything that we keep about you. It works once, for ${EXPORT_LINK_MINUTES} minutes, and you need not be signed in. The file is written while you download it; nothing of it lies with us.`,
      facts: [...factsOf({ at, from }), ['Until', formatUtc(expiresAt)]],
      remedy:
        'If you did not ask for it, somebody else has access to your account: end every session that is not yours in Account > Profile, and make sure that nobody else can read your e-mail. The page behind the link says whether the file was downloaded.',
      undoUrl: url,
      linkLabel: 'Download your data',
      origin,
    }),
  samples: {
    'data-ready': {
      exportId: '019ab0f0-0000-7000-8000-000000000001',
      at: '2026-11-18T15:04:05.000Z',
      expiresAt: '2026-11-18T16:04:05.000Z',
      from: SAMPLE_PLACE,
      url: 'https://tradepost.example/mail/export/AbC-_0123456789abcdefgAbC-_0123456789abcdefgAbC-_0123456789abcde',
    },
  },
})
