import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RECORD_KEYS_ELEMENT_ID } from '../contract/src/record-keys.ts'
import { fragmentOf, HISTORY_KEYS, type History } from '../record/src/test-history.ts'

/** A mail that holds a receipt: quoted-printable, its lines cut. */
export function mailWith(receipt: Uint8Array): string {
  const link = `https://tradepost.example/verify${fragmentOf(receipt)}`
  const lines = link.match(/.{1,75}/g) ?? []
  return [
    'From: Tradepost <mail@tradepost.example>',
    'Subject: A position for NVDA has been opened',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Verify this signal:',
    lines.join('=\r\n'),
    '',
  ].join('\r\n')
}

/**
 * A server before the product, on the machine's own wire: the documents hold the test's keys, and the record is the test's. It notes all that
 * browsers send. While `away`, it ends every connection.
 */
export async function serveRecord(productUrl: string, history: History) {
  const state = { history, size: 150, away: false }
  const sent: string[] = []
  const answerRecord = (url: URL, response: ServerResponse): boolean => {
    if (url.pathname === '/record/checkpoint') response.end(state.history.note(state.size))
    else if (url.pathname === '/record/consistency') {
      const [from, to] = [Number(url.searchParams.get('from')), Number(url.searchParams.get('to'))]
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ from, to, proof: state.history.proof(from, to) }))
    } else return false
    return true
  }
  const forward = (asked: IncomingMessage, response: ServerResponse) => {
    const headers = { ...asked.headers, 'accept-encoding': 'identity' }
    const onward = request(productUrl + asked.url, { method: asked.method, headers }, (answer) => {
      const isDocument = asked.url === '/verify'
      const { 'content-length': _length, ...kept } = answer.headers
      response.writeHead(answer.statusCode ?? 502, isDocument ? kept : answer.headers)
      if (!isDocument) return answer.pipe(response)
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => response.end(withKeys(Buffer.concat(chunks).toString())))
    })
    onward.on('error', () => response.destroy())
    asked.pipe(onward)
  }
  const server = createServer((asked, response) => {
    const chunks: Buffer[] = []
    asked.on('data', (chunk: Buffer) => chunks.push(chunk))
    asked.on('end', () => sent.push(Buffer.concat(chunks).toString()))
    sent.push([asked.method, asked.url, ...asked.rawHeaders].join(' '))
    if (state.away) asked.socket.destroy()
    else if (!answerRecord(new URL(asked.url ?? '/', productUrl), response)) forward(asked, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    state,
    sent,
    close: () => server.closeAllConnections(),
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function withKeys(html: string): string {
  const place = new RegExp(`(id="${RECORD_KEYS_ELEMENT_ID}">).*?(</script>)`)
  return html.replace(place, (_all, before, after) => before + JSON.stringify(HISTORY_KEYS) + after)
}
