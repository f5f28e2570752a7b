import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Counted = 'calls' | 'changes'

/** Stands between the app and Stripe, lets everything pass, and can swallow an answer. */
export type StripeProxy = AsyncDisposable & {
  url: string
  /**
   * From this call on Stripe does what it is asked and no answer ever arrives.
   * @param at counts from 0
   * @param counts every call, or those alone that change something
   * @returns `happened` resolves when it has
   */
  swallowFrom(at: number, counts: Counted): { happened: Promise<void> }
}

export async function openStripeProxy(upstream: string): Promise<StripeProxy> {
  const { host, hostname, port } = new URL(upstream)
  let left = Number.POSITIVE_INFINITY
  let counted: Counted = 'calls'
  let swallowed: () => void = () => undefined
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/' } = incoming
    const headers = { ...incoming.headers, host }
    const passedOn = send({ hostname, port, method, path, headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        if (counted === 'calls' || method !== 'GET') left -= 1
        if (left < 0) return swallowed()
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        outgoing.end(Buffer.concat(parts))
      })
    })
    passedOn.on('error', () => outgoing.destroy())
    incoming.pipe(passedOn)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallowFrom(at, counts) {
      left = at
      counted = counts
      return {
        happened: new Promise((resolve) => {
          swallowed = resolve
        }),
      }
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
