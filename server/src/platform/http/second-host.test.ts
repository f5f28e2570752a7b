import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'

/** @returns status and body of a request that is written by hand */
async function ask(port: number, headers: readonly string[]): Promise<{ status: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.end(['GET /v1/accounts/profile HTTP/1.1', ...headers, 'Connection: close', '', ''].join('\r\n'))
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  await once(socket, 'close')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: head.split(' ')[1] ?? '', body }
}

test('a request with two hosts is refused, whatever they are and however they are written', async () => {
  await using testApp = await buildTestApp()
  await testApp.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = testApp.app.server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  expect((await ask(port, [`Host: ${host}`])).status).toBe('401')
  for (const second of [`Host: ${host}`, 'Host: evil.example', 'HOST: evil.example', 'host:']) {
    const { body, status } = await ask(port, [`Host: ${host}`, second])
    expect(status).toBe('400')
    expect(JSON.parse(body)).toMatchObject({ code: 'bad_request' })
  }
  expect((await ask(port, ['Host: evil.example', `Host: ${host}`])).status).toBe('400')
})
