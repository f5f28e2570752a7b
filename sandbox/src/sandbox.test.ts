import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startSandbox } from './sandbox.ts'

function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end()
  })
}

test('the index lists the parts that run, and only those are there', async () => {
  const sandbox = await startSandbox({ parts: ['market'] })
  const answer = await fetch(sandbox.url)
  const page = await answer.text()
  expect(page).toContain('href="/market"')
  expect(page).not.toContain('href="/mail"')
  expect(page).toContain('No real money or mail moves here')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(answer.headers.get('content-security-policy')).not.toContain('unsafe')
  expect(sandbox.smtpPort).toBeNull()
  const missing = await fetch(`${sandbox.url}/mail`)
  expect([missing.status, await missing.json()]).toEqual([404, { error: 'Not found.' }])
  const shown = await fetch(`${sandbox.url}/mail`, { headers: { accept: 'text/html' } })
  expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  await sandbox.close()
})

test('only names of this machine are answered', async () => {
  const sandbox = await startSandbox()
  const { port } = new URL(sandbox.url)
  expect(await statusFor(sandbox.url, `localhost:${port}`)).toBe(200)
  expect(await statusFor(sandbox.url, `[::1]:${port}`)).toBe(200)
  expect(await statusFor(`${sandbox.url}/mail/messages`, `evil.example:${port}`)).toBe(421)
  expect(await statusFor(`${sandbox.url}/mail/messages`, 'localhost.evil.example')).toBe(421)
  await sandbox.close()
})

test('a port that is taken is reported, and nothing stays open', async () => {
  const first = await startSandbox()
  await expect(startSandbox({ port: Number(new URL(first.url).port) })).rejects.toThrow(/EADDRINUSE/)
  await expect(startSandbox({ smtpPort: first.smtpPort ?? 0 })).rejects.toThrow(/EADDRINUSE/)
  await first.close()
  const again = await startSandbox({ port: Number(new URL(first.url).port), smtpPort: first.smtpPort ?? 0 })
  await again.close()
})
