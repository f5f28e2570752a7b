import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { allowOthers } from '../platform/http/error-handler.ts'
import { describeHealth, describeSettings } from './describe-service.ts'
import { serveFactors } from './serve-factors.ts'
import { serveLinks } from './serve-links.ts'
import { serveSessions } from './serve-sessions.ts'
import { serveSignIn } from './serve-sign-in.ts'
import { answerWireError, wireError } from './wire-error.ts'

/**
 * Registers the sign-in routes under /auth/v1. They speak the protocol of GoTrue, the sign-in server of Supabase
 * (docs/specification.md section 7), so any client of that protocol can sign in. Their errors have GoTrue's shape, and may
 * use 401 and 403, which the product API keeps for identity.
 */
export async function authRoutes(app: FastifyInstance, deps: AuthDeps): Promise<void> {
  await app.register(
    async (scope) => {
      scope.setErrorHandler(answerWireError)
      scope.setNotFoundHandler((request, reply) => {
        const code = allowOthers(request, reply) ? 'method_not_allowed' : 'not_found'
        return answerWireError(wireError(code), request, reply)
      })
      serveSignIn(scope, deps)
      serveLinks(scope, deps)
      serveSessions(scope, deps)
      serveFactors(scope, deps)
      servePublic(scope, deps)
    },
    { prefix: '/auth/v1' },
  )
}

function servePublic(app: FastifyInstance, deps: AuthDeps): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    const keys = await deps.signingKeys.published(deps.clock.now())
    // Set after the keys have been read, so that a failure is not cached.
    reply.header('cache-control', 'public, max-age=600')
    return { keys }
  })
  app.get('/settings', async () => describeSettings())
  app.get('/health', async () => describeHealth())
}
