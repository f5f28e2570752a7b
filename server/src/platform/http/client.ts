import type { FastifyRequest } from 'fastify'

/** From where somebody calls; kept with the session and in the log of deeds. */
export type Client = { ip: string; userAgent: string | null }

const USER_AGENT_MAX_LENGTH = 500

/** The client of a request; its user agent is cut to the stored length. */
export function clientOf(request: FastifyRequest): Client {
  return { ip: request.ip, userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_MAX_LENGTH) ?? null }
}
