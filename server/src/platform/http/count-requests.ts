import type { FastifyInstance } from 'fastify'
import { countRequest } from '../metrics.ts'

/** Counts every answer by the pattern of its route; an open stream is none, since it lasts as long as a page. */
export function countRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const status = reply.statusCode
    if (!(routeOptions.config.isStream && status === 200))
      countRequest({ method, route: patternOf(routeOptions.url), status }, reply.elapsedTime / 1000)
    done()
  })
}

/** The files of the built app are routes of their own, with a hash in each: they count as one. */
function patternOf(url: string | undefined): string {
  if (url === undefined) return 'none'
  return url.startsWith('/assets/') ? '/assets/*' : url
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a call is answered by a stream. */
    isStream?: boolean
  }
}
