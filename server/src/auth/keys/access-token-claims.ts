import * as z from 'zod'

export const accessTokenClaims = z.object({
  sub: z.uuid(),
  session_id: z.uuid(),
  generation: z.number(),
  aal: z.string().optional(),
  iss: z.string(),
  exp: z.number(),
})

/** The claims of an access token of ours. @property exp Unix seconds */
export type AccessTokenClaims = z.infer<typeof accessTokenClaims>
