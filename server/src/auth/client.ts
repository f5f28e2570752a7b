/** From where somebody calls; kept with the session and in the log of deeds. */
export type Client = { ip: string; userAgent: string | null }

const USER_AGENT_MAX_LENGTH = 500

/** @param userAgent as sent; cut to what is kept */
export function describeClient(ip: string, userAgent: string | undefined): Client {
  return { ip, userAgent: userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null }
}
