import * as z from 'zod/mini'
import { limited } from './limited.ts'

/** A ticker as a payload brings it; `checkSymbol` judges it. */
export const tickerText = limited(z.string(), {
  description: 'In any case, with or without blanks around it.',
  minLength: 1,
  maxLength: 10,
  pattern: '^[A-Za-z][A-Za-z0-9.-]*$',
})
