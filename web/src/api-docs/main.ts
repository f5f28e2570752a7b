/*
 * The page /docs: the API's document, drawn by Swagger UI (decision 0041). "Try it out" makes real calls; where somebody is
 * signed in in this browser, they are that person's, unless a token was given under "Authorize".
 */
import SwaggerUI, { type ApiRequest } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { authClient } from '../lib/auth-client.ts'
import { nameFields } from './name-fields.ts'
import { plainParts } from './plain-parts.ts'
import 'swagger-ui-dist/swagger-ui.css'
import './api-docs.css'

async function withSession(request: ApiRequest): Promise<ApiRequest> {
  const isCall = new URL(request.url, location.href).pathname.startsWith('/v1/')
  if (!isCall || Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization'))
    return request
  const { data } = await authClient.getSession()
  if (data.session) request.headers.authorization = `Bearer ${data.session.access_token}`
  return request
}

const part = document.querySelector('#api-docs')
if (part) nameFields(part)

SwaggerUI({
  dom_id: '#api-docs',
  layout: 'PlainLayout',
  url: '/openapi.json',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  // It would paint with styles of its own.
  syntaxHighlight: false,
  // What a person copies and passes on shall not hold their token.
  showMutatedRequest: false,
  plugins: [plainParts],
  requestInterceptor: withSession,
  onComplete: () => part?.setAttribute('aria-busy', 'false'),
})
