/** The parts of a call in openapi.json that a request is made of. */
export type Call = {
  method: string
  path: string
  parameters: { name: string; in: 'path' | 'query'; required: boolean; example?: unknown }[]
  /** The example of what it is sent; undefined for a call without a body. */
  body?: unknown
}

export type CallRequest = { method: string; path: string; body: string | null }

/**
 * @param values of the parameters, in their order; a query's empty one is left out
 * @param body as typed: what the server refuses can be tried too
 */
export function requestOf(call: Call, values: string[], body: string | null): CallRequest {
  const query = new URLSearchParams()
  let path = call.path
  for (const [index, { name, in: place }] of call.parameters.entries()) {
    const value = values[index] ?? ''
    if (place === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(value))
    else if (value !== '') query.append(name, value)
  }
  return { method: call.method, path: query.size > 0 ? `${path}?${query}` : path, body }
}

/** The request for a POSIX shell. It names a variable in place of the token: what is passed on shall not hold one. */
export function commandLine({ method, path, body }: CallRequest, origin: string): string {
  const lines = [`curl -X ${method} ${quoted(origin + path)}`, '-H "Authorization: Bearer $TOKEN"']
  if (body !== null) lines.push("-H 'Content-Type: application/json'", `--data-raw ${quoted(body)}`)
  return lines.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
