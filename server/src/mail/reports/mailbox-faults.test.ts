import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { complaint, openReportScenario, type ReportScenario } from '../../../test/mails/mail-reports.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/processes/tcp-proxy.ts'
import { readNewMessages } from './mailbox.ts'
import { readWhenDue } from './report-reader.ts'

const never = new AbortController().signal

afterEach(() => {
  vi.useRealTimers()
})

async function openBehindProxy() {
  const proxies: TcpProxy[] = []
  const scene = await openReportScenario({
    async frontOf(url) {
      const proxy = await startTcpProxy(url)
      proxies.push(proxy)
      return proxy.url
    },
  })
  const [proxy] = proxies
  if (!proxy) throw new Error('no proxy')
  return {
    scene,
    proxy,
    async [Symbol.asyncDispose]() {
      vi.useRealTimers()
      await proxy[Symbol.asyncDispose]()
      await scene[Symbol.asyncDispose]()
    },
  }
}

function turns({ pool }: ReportScenario) {
  return pool
    .query('select failures, next_at, read_at from report_mailbox')
    .then(({ rows }) => rows[0] as { failures: number; next_at: Date; read_at: Date | null })
}

test('a mailbox server that is silent from the start or in the middle costs its time-out and nothing else', async () => {
  await using behind = await openBehindProxy()
  const { proxy, scene } = behind
  const { clock, deps } = scene
  scene.mailbox.arrive(complaint(scene.pathOf(await scene.addPerson('ann'))))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  proxy.stall()
  const silent = readWhenDue(deps, never)
  await expect.poll(() => proxy.connections()).toBe(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await silent).toBeNull()
  expect(await turns(scene)).toMatchObject({ failures: 1, read_at: null })

  proxy.cut()
  proxy.resume()
  clock.advance(60_000)
  const lost = proxy.loseAnswerTo('UID FETCH')
  const halfOpen = readWhenDue(deps, never)
  await lost
  // Not to be read twice at a time, however long it takes.
  clock.advance(60_000)
  expect(await readWhenDue(deps, never)).toBeNull()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await halfOpen).toBeNull()
  const { failures, next_at } = await turns(scene)
  expect([failures, next_at.getTime() - clock.now().getTime()]).toEqual([2, 120_000])

  vi.useRealTimers()
  proxy.cut()
  clock.advance(120_000)
  expect(await readWhenDue(deps, never)).toBe(1)
  expect(await scene.suppressed()).toEqual(['ann@people.example complained'])
  expect(await turns(scene)).toMatchObject({ failures: 0, read_at: clock.now() })
})

test('pauses between tries grow to a quarter of an hour, and the operator is notified of an hour without a reading', async () => {
  await using scene = await openReportScenario({ frontOf: async () => 'imap://a:b@127.0.0.1:9/INBOX' })
  const pauses: number[] = []
  for (let tries = 0; tries < 9; tries += 1) {
    expect(await readWhenDue(scene.deps, never)).toBeNull()
    const { next_at } = await turns(scene)
    pauses.push((next_at.getTime() - scene.clock.now().getTime()) / 60_000)
    scene.clock.set(next_at)
  }
  expect(pauses).toEqual([1, 2, 4, 8, 15, 15, 15, 15, 15])
  const { rows } = await scene.pool.query("select facts->>'subject' as subject from outbox")
  expect(rows).toEqual([{ subject: 'the mailbox of bounces cannot be read' }])
})

test.each([
  ['speaks another protocol', '220 smtp.example ESMTP\r\n'],
  ['hangs up with its greeting', '* BYE too many connections\r\n'],
  ['never ends its line', `* OK ${'x'.repeat(70_000)}`],
  ['announces more than it may send', '* OK fine\r\n* 1 FETCH (BODY[] {999999999}\r\n'],
])('a mailbox server that %s is given up', async (_title, greeting) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).write(greeting)
    if (greeting.startsWith('* BYE')) socket.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `imap://a:b@127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = new AbortController()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reading = readNewMessages(url, async () => undefined, stop.signal).then(
    () => 'read',
    () => 'given up',
  )
  await vi.advanceTimersByTimeAsync(1)
  const time = vi.advanceTimersByTimeAsync(20_000)
  expect(await reading).toBe('given up')
  await time
  server.close()
})

test('a message whose record fails stays unseen, is read again, and keeps nobody from the next', async () => {
  await using scene = await openReportScenario()
  scene.mailbox.arrive('first')
  scene.mailbox.arrive('second')
  const seen: string[] = []
  const handle = async (message: Buffer) => {
    seen.push(String(message))
    if (seen.length === 1) throw new Error('the database is away')
  }
  await expect(readNewMessages(scene.mailbox.url, handle, never)).rejects.toThrow('the database is away')
  expect(await readNewMessages(scene.mailbox.url, handle, never)).toBe(1)
  expect(seen).toEqual(['first', 'second', 'first'])
})

test('of a message its first 256 KiB are fetched, and it is judged by them', async () => {
  await using scene = await openReportScenario()
  scene.mailbox.arrive(complaint(scene.pathOf(await scene.addPerson('ann'))).padEnd(10_000_000, 'x'))
  const lengths: number[] = []
  const look = async (message: Buffer) => {
    lengths.push(message.length)
    throw new Error('again')
  }
  await expect(readNewMessages(scene.mailbox.url, look, never)).rejects.toThrow('again')
  expect(lengths).toEqual([262_144])
  expect(await readWhenDue(scene.deps, never)).toBe(1)
  expect(await scene.suppressed()).toEqual(['ann@people.example complained'])
})

test('stopping ends a reading at once, and the next worker has the turn', async () => {
  await using behind = await openBehindProxy()
  const { proxy, scene } = behind
  proxy.stall()
  const stop = new AbortController()
  const reading = readWhenDue(scene.deps, stop.signal)
  await expect.poll(() => proxy.connections()).toBe(1)
  stop.abort()
  expect(await reading).toBeNull()
  proxy.cut()
  proxy.resume()
  expect(await readWhenDue(scene.deps, never)).toBe(0)
})
