/** Fastify's picture of its routes (`printRoutes({ commonPrefix: false })`), as a list. */
export function listRoutes(tree: string): { path: string; methods: string[] }[] {
  const found: { path: string; methods: string[] }[] = []
  const parts: string[] = []
  for (const line of tree.split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^([\s│├└─]*)(\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
    if (!part) continue
    const depth = indent.length / 4
    parts.length = Math.max(depth - 1, 0)
    parts.push(part)
    if (methods) found.push({ path: parts.join(''), methods: methods.split(', ') })
  }
  return found
}
