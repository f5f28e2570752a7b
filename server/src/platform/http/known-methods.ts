import type { FastifyInstance } from 'fastify'

/**
 * Notes every route that is registered from now on, plug-ins' catch-alls aside.
 * @returns the methods that an address is served by, sorted; none for an unknown address
 */
export function noteMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { segments: string[]; method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    for (const each of [method].flat()) routes.push({ segments: url.split('/'), method: each })
  })
  return (path) => {
    const asked = path.split('/')
    const serving = routes.filter(({ segments }) => isServedBy(asked, segments))
    return [...new Set(serving.map(({ method }) => method))].toSorted()
  }
}

function isServedBy(asked: string[], segments: string[]): boolean {
  return (
    asked.length === segments.length &&
    segments.every((segment, at) => (segment.startsWith(':') ? asked[at] !== '' : asked[at] === segment))
  )
}
