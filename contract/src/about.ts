import * as z from 'zod/mini'
import { limited } from './limited.ts'
import { ABOUT_MAX_LENGTH } from './limits.ts'
import { storableText } from './text.ts'

/** A trader's words about themselves; `checkAbout` judges their length. */
export const aboutPayload = z.object({
  about: limited(storableText(), {
    description: 'Counted in UTF-16 units, without blanks around it. An empty one takes the text away.',
    maxLength: ABOUT_MAX_LENGTH,
  }),
})
/** The text as it is kept; empty without one. */
export const aboutAnswer = z.object({ about: z.string() })

export const followersShownPayload = z.object({ shown: z.boolean() })
export const followersShownAnswer = z.object({ followersShown: z.boolean() })
