import type { FastifyInstance } from 'fastify'

/**
 * Notes every route that is registered from now on, catch-alls of every address aside.
 * @returns the methods that an address is served by, sorted; none for an unknown address
 */
export function noteMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { segments: string[]; method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    if (url === '*' || url === '/*') return
    for (const each of [method].flat()) routes.push({ segments: url.split('/'), method: each })
  })
  return (path) => {
    const asked = path.split('/')
    const serving = routes.filter(({ segments }) => isServedBy(asked, segments))
    return [...new Set(serving.map(({ method }) => method))].toSorted()
  }
}

function isServedBy(asked: string[], segments: string[]): boolean {
  const known = segments.at(-1) === '*' ? segments.slice(0, -1) : segments
  const isLongEnough = known === segments ? asked.length === known.length : asked.length > known.length
  return (
    isLongEnough &&
    known.every((segment, at) => (segment.startsWith(':') ? asked[at] !== '' : asked[at] === segment))
  )
}
