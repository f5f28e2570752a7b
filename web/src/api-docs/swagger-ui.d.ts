/** What is used of the renderer, which brings no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  import type { ComponentType, createElement } from 'react'

  export type ApiRequest = { url: string; headers: Record<string, string> }
  export type System = { React: { createElement: typeof createElement } }
  export type Plugin = (system: System) => { components: Record<string, ComponentType<never>> }
  type Options = {
    dom_id: string
    layout: string
    url: string
    deepLinking: boolean
    defaultModelsExpandDepth: number
    validatorUrl: null
    syntaxHighlight: false
    showMutatedRequest: boolean
    plugins: Plugin[]
    requestInterceptor: (request: ApiRequest) => Promise<ApiRequest>
    onComplete: () => void
  }
  export default function SwaggerUI(options: Options): void
}
