import { accountExamples } from './account-examples.ts'
import type { Examples } from './example.ts'
import { positionExamples } from './position-examples.ts'
import { traderExamples } from './trader-examples.ts'

/** One example a call. A test holds each to the schemas and rules that the call itself is held to. */
export const examples: Examples = { ...accountExamples, ...traderExamples, ...positionExamples }
