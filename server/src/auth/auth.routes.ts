import type { FastifyInstance } from 'fastify'
import { allowOthers } from '../platform/http/error-handler.ts'
import type { AuthDeps } from './auth-deps.ts'
import { describeHealth, describeSettings } from './describe-service.ts'
import { serveFactors } from './serve-factors.ts'
import { serveSessions } from './serve-sessions.ts'
import { serveSignIn } from './serve-sign-in.ts'
import { answerWireError, wireError } from './wire-error.ts'

/**
 * The sign-in wire (docs/specification.md section 7): GoTrue's, so that any client that speaks it can sign in. Its errors have
 * their own shape, and the product API's rule on 401 and 403 does not apply to them.
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
    // Once they are there: a failure is not to be kept.
    reply.header('cache-control', 'public, max-age=600')
    return { keys }
  })
  app.get('/settings', async () => describeSettings())
  app.get('/health', async () => describeHealth())
}
