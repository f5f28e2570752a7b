/**
 * The ceiling of a read: Fastify alone, answering bytes that were computed before. `CONSTANTS` names a file of paths and
 * texts; a request with a tag is answered 304 without a look.
 */
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'

const texts = JSON.parse(readFileSync(process.env.CONSTANTS ?? '', 'utf8')) as Record<string, string>
const app = Fastify()
for (const [path, text] of Object.entries(texts)) {
  const bytes = Buffer.from(text)
  app.get(path, (request, reply) => {
    if (request.headers['if-none-match']) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(bytes)
  })
}
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
console.log('ready')
