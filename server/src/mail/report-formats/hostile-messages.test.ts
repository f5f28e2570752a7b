import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { hostileMessages } from '../../../test/mails/hostile-messages.ts'
import { bounce, openReportScenario } from '../../../test/mails/mail-reports.ts'
import { readWhenDue } from '../reports/report-reader.ts'
import { readMime } from './mime-parts.ts'
import { parseReport } from './parse-report.ts'
import { openReportParser } from './report-parser.ts'

const PATH = `bounces+${'0'.repeat(50)}@mail.example`

test('of two hundred hostile messages so many bytes, lines, parts and levels are read and no more', () => {
  const messages = hostileMessages(PATH)
  expect(messages.length).toBeGreaterThanOrEqual(200)
  expect(messages.filter(({ length }) => length >= 10_000_000).length).toBeGreaterThanOrEqual(10)
  const most = {
    bytes: 0,
    depth: 0,
    fields: 0,
    line: 0,
    lines: 0,
    longest: 0,
    messages: 0,
    names: 0,
    parts: 0,
  }
  for (const raw of messages) {
    const { messages: found, parts, unwrapped } = readMime(raw)
    const parsed = parseReport(raw)
    const texts = parts.map(({ text }) => text)
    const seen = {
      bytes: [...texts, ...unwrapped].join('').length,
      depth: Math.max(...[...found, ...parts].map(({ depth }) => depth)),
      fields: Math.max(...found.map(({ header }) => header.size)),
      line: Math.max(...found.flatMap(({ header }) => [...header.values()]).map(({ length }) => length), 0),
      lines: Math.max(...texts.map((text) => text.split('\n').length), 0),
      longest: Math.max(...texts.flatMap((text) => text.split('\n')).map(({ length }) => length), 0),
      messages: found.length,
      names: parsed.names.length,
      parts: parts.length,
    }
    for (const name of Object.keys(most) as (keyof typeof most)[])
      most[name] = Math.max(most[name], seen[name])
  }
  expect(most.bytes).toBeLessThanOrEqual(4 * 262_144)
  expect(most.lines).toBeLessThanOrEqual(20_000)
  expect(most.line).toBeLessThanOrEqual(2000)
  expect(most.longest).toBeLessThanOrEqual(4000)
  expect(most.names).toBeLessThanOrEqual(16 * 400)
  expect([most.depth, most.fields, most.parts]).toEqual([12, 200, 100])
  expect(most.messages).toBeLessThanOrEqual(100)
  const long = Buffer.from(`\n${`${'x'.repeat(99)}\n`.repeat(3000)}${PATH}`)
  expect(readMime(long).parts[0]?.text.length).toBeLessThanOrEqual(262_143)
  expect(parseReport(long).names).toBe('')
})

test('two hundred hostile messages in the mailbox are read on another thread, hold nothing against the person whom they name, and the next report counts', async () => {
  await using scene = await openReportScenario()
  const { clock, deps, mailbox, pool } = scene
  const path = scene.pathOf(await scene.addPerson('ann'))
  const never = new AbortController().signal
  let threads = 0
  const count = () => {
    threads += 1
  }
  process.on('worker', count)
  const messages = hostileMessages(path)
  // In several readings, each of which has a minute.
  for (let from = 0; from < messages.length; from += 36) {
    const some = messages.slice(from, from + 36)
    for (const raw of some) {
      mailbox.arrive('')
      const arrived = mailbox.messages.at(-1)
      if (arrived) arrived.raw = raw
    }
    clock.advance(60_000)
    expect(await readWhenDue(deps, never)).toBe(some.length)
  }
  process.off('worker', count)
  expect([messages.length, threads]).toEqual([222, 7])
  expect((await pool.query('select from mail_reports')).rowCount).toBe(0)
  expect(await scene.unread()).not.toHaveProperty('unreadable')
  mailbox.arrive(bounce(path))
  clock.advance(60_000)
  expect(await readWhenDue(deps, never)).toBe(1)
  expect((await pool.query('select from mail_reports')).rowCount).toBe(1)
})

/** A parser that never ends with a message `1`, takes all memory with a `2`, dies of a `3` and throws at a `4`. */
const BAD = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (raw) => {
      while (raw[0] === 1);
      for (let all = []; raw[0] === 2; ) all.push(new Array(100_000).fill(raw.length + all.length))
      if (raw[0] === 3) process.exit(1)
      if (raw[0] === 4) throw new Error('no')
      parentPort.postMessage({ reported: 'no report', names: '', unsubscribing: [] })
    })`)}`,
)

test('requests are answered while a message is read that never ends, which is given up, and the next one is read', async () => {
  await using testApp = await buildTestApp()
  await using parser = openReportParser(BAD, 2000)
  let ended = false
  const endless = parser.parse(Buffer.of(1)).finally(() => {
    ended = true
  })
  for (let asked = 0; asked < 5; asked += 1)
    expect((await testApp.app.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(200)
  expect(ended).toBe(false)
  expect(await endless).toBeNull()
  expect(await parser.parse(Buffer.of(0))).toMatchObject({ reported: 'no report' })
  expect(await parser.parse(Buffer.of(1)), 'on a thread that has answered').toBeNull()
  expect(await parser.parse(Buffer.of(0))).toMatchObject({ reported: 'no report' })
})

test('a thread that waits for its turn is not given up, however long that takes', async () => {
  const LATE = new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'
      parentPort.on('message', () => setTimeout(() => parentPort.postMessage({ reported: 'no report' }), 1500))`)}`,
  )
  // Longer than it is looked at, and than it may work.
  await using parser = openReportParser(LATE, 500)
  expect(await parser.parse(Buffer.of(0))).toEqual({ reported: 'no report' })
})

test('the time of a thread for earlier messages does not count for later ones', async () => {
  const SLOW = new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'
      // Asking takes the system's time too, on some machines more than the thread's own.
      const used = () => {
        const { system, user } = process.threadCpuUsage()
        return system + user
      }
      parentPort.on('message', () => {
        const from = used()
        while (used() - from < 1_000_000);
        parentPort.postMessage({ reported: 'no report' })
      })`)}`,
  )
  await using parser = openReportParser(SLOW, 2500)
  for (let message = 0; message < 3; message += 1)
    expect(await parser.parse(Buffer.of(0))).toEqual({ reported: 'no report' })
})

test('a message that takes all memory of its thread, or ends it, is given up alone and at once', async () => {
  const limits: unknown[] = []
  const note = (worker: Worker) => limits.push(worker.resourceLimits?.maxOldGenerationSizeMb)
  process.on('worker', note)
  await using parser = openReportParser(BAD)
  for (const bad of [2, 3, 4]) {
    expect(await parser.parse(Buffer.of(bad))).toBeNull()
    expect(await parser.parse(Buffer.of(0))).toMatchObject({ reported: 'no report' })
  }
  process.off('worker', note)
  // The thread that answered reads the next one.
  expect(limits).toEqual([96, 96, 96, 96])
})
