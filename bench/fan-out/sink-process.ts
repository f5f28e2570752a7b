import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A counting mail server in a separate process. */
export type SinkProcess = {
  port: number
  url: string
  /**
   * Begins to count again.
   * @returns resolves once it counts; `taken` then waits for so many different mails
   */
  expect(mails: number): Promise<{ taken: Promise<Taken> }>
  close(): Promise<void>
}

/** When the first and the last mail had been taken, in ms of `machineNow`. */
export type Taken = { first: number; last: number }

/** On the wire between the processes; nanoseconds in words, since JSON knows no such numbers. */
export type Wanted = { mails: number }
export type Counted = { first: string; last: string }

/** Mails that do not come end a benchmark rather than keep it waiting. */
const LIMIT_MS = 120_000

/** The machine's one clock for all of its processes, in ms. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export async function startSinkProcess(): Promise<SinkProcess> {
  const child = fork(join(import.meta.dirname, 'sink.ts'))
  const nextMessage = async () => (await once(child, 'message', { signal: AbortSignal.timeout(LIMIT_MS) }))[0]
  const { port } = (await nextMessage()) as { port: number }
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    async expect(mails) {
      const counting = nextMessage()
      const wanted: Wanted = { mails }
      child.send(wanted)
      await counting
      const taken = nextMessage().then((counted) => {
        const { first, last } = counted as Counted
        return { first: Number(first) / 1e6, last: Number(last) / 1e6 }
      })
      taken.catch(() => undefined)
      return { taken }
    },
    async close() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
