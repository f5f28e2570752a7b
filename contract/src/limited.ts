import * as z from 'zod/mini'

type Limits = {
  description?: string
  minLength?: number
  maxLength?: number
  pattern?: string
  enum?: readonly string[]
}

/**
 * Records in the API's document what a rule takes. The rule itself judges, since it has a sentence for each refusal, where the schema would
 * answer 400.
 * @param limits in JSON Schema's words; lengths are those of the text as it is kept
 */
export function limited<Schema extends z.ZodMiniType>(schema: Schema, limits: Limits): Schema {
  z.globalRegistry.add(schema, limits as Record<string, unknown>)
  return schema
}
