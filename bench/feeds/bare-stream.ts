/** The least cost of a stream: node:http alone keeps answers open and writes the same bytes to all of them when it is asked to. */
import { createServer, type ServerResponse } from 'node:http'

const open = new Set<ServerResponse>()

createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"type":"ready"}\n\n')
    open.add(response)
    response.on('close', () => open.delete(response))
    return
  }
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const text = Buffer.concat(parts).toString()
    response.end('{}')
    for (const stream of open) stream.write(text)
  })
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))
