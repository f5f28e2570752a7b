import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** An archive, for a reader who saves it. @property sent is done once its last byte has gone, and before the answer ends */
type SentFile = { name: string; bytes: AsyncGenerator<Uint8Array>; sent: () => Promise<void> }

/**
 * Sends a file as fast as its reader takes it: no bytes are asked for before those of before have gone. An answer that does not come to
 * its end breaks off, so that no browser takes the part for the whole.
 * @param ending ends it before its time
 * @throws when the reader has gone, or has taken nothing for as long as the server waits for a connection
 */
export async function sendFile(reply: FastifyReply, file: SentFile, ending: AbortSignal): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const cut = () => raw.destroy()
  ending.addEventListener('abort', cut, { once: true })
  try {
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${file.name}"`,
      'cache-control': 'no-store',
      // A server that closes would wait for the connection to time out.
      connection: 'close',
      // Nginx and those that follow it would take the file in whole, on their disk.
      'x-accel-buffering': 'no',
    })
    for await (const bytes of file.bytes) await write(raw, bytes)
    await file.sent()
    raw.end()
  } catch (error) {
    raw.destroy()
    throw error
  } finally {
    ending.removeEventListener('abort', cut)
  }
}

function write(raw: ServerResponse, bytes: Uint8Array): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  const gone = () => reject(new Error('the reader has gone'))
  if (raw.destroyed) gone()
  else {
    raw.once('close', gone)
    raw.write(bytes, (error) => {
      raw.off('close', gone)
      if (error) reject(error)
      else resolve()
    })
  }
  return promise
}
