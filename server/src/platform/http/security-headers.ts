import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'

/**
 * Security headers on every answer. Documents bring their own content policy (web-pages.ts); everything else may
 * load nothing at all.
 */
export function addSecurityHeaders(app: FastifyInstance, options: { https: boolean }): void {
  // Made once: the library's plugin makes it again for each request.
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    // Only over TLS does the header mean anything; on a developer's localhost it would lock the browser out.
    strictTransportSecurity: options.https ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    xFrameOptions: { action: 'deny' },
  })
  app.addHook('onRequest', (request, reply, next) => setHeaders(request.raw, reply.raw, () => next()))
}
