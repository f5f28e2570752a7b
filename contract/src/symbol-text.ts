import * as z from 'zod/mini'
import { limited } from './limited.ts'

/** A ticker as a payload brings it; `checkSymbol` judges it. */
export const tickerText = limited(z.string(), {
  description: 'As typed or pasted: in any case, with or without what stands around it.',
  minLength: 1,
  maxLength: 10,
  pattern: '^[A-Za-z][A-Za-z0-9.-]*$',
})
