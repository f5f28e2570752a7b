import type * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import type { endpoints } from './endpoints.ts'

/** The request and the answer of a call, as the API's document shows them. */
export type Example<E extends Endpoint = Endpoint> = Given<E, 'params'> &
  Given<E, 'query'> &
  Given<E, 'body'> & { answer: z.output<E['answer']> }

type Given<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer Schema extends z.ZodMiniType> ? Record<Part, z.input<Schema>> : unknown

/** Of every call. */
export type Examples = { [Name in keyof typeof endpoints]: Example<(typeof endpoints)[Name]> }
