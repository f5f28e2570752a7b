import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { serialQueue } from '../platform/cache/serial-queue.ts'
import { versionedCache } from '../platform/cache/versioned-cache.ts'
import { refusal } from '../platform/http/refusal.ts'

const SCRIPT = new URL('./render-picture.worker.ts', import.meta.url)
/** Of a process, in bytes: some three hundred pictures. */
const MAX_KEPT_SIZE = 16_000_000
const LIMITS = { maxOldGenerationSizeMb: 64, stackSizeMb: 4 }
/** So many pictures wait for one that is drawn, each a fifth of a megabyte at most: a process has room for that. */
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 30
/** Content alone tells one picture from another: there is no newer version of the same. */
const ONLY_VERSION = 0

/**
 * Makes PNGs of SVGs in a thread, one at a time, so that no other request waits for them. Each is kept while there is room; two who ask
 * for the same picture wait for one drawing. A drawing may take as long as the machine needs: the SVG is ours and no larger than a year
 * of days, so it ends. The HTTP server limits how long somebody waits, and finds the picture kept at their next try.
 * @param script the script that runs in the thread
 * @returns answers an SVG with its PNG. @throws when the thread ends without one; `unavailable` while too many wait
 */
export function makePictures(
  script = SCRIPT,
  maxWaiting = MAX_WAITING,
): (svg: string) => Promise<Uint8Array> {
  const inTurn = serialQueue()
  let asked = 0
  const findKept = versionedCache<Uint8Array>({
    maxSize: MAX_KEPT_SIZE,
    sizeOf: ({ length }) => length,
  })
  async function draw(svg: string): Promise<Uint8Array> {
    if (asked > maxWaiting) throw refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    asked += 1
    try {
      return await inTurn(() => render(script, svg))
    } finally {
      asked -= 1
    }
  }
  return async (svg) => {
    const key = createHash('sha256').update(svg).digest('base64')
    const found = await findKept(
      new Map([[key, ONLY_VERSION]]),
      async () => new Map([[key, await draw(svg)]]),
    )
    const png = found.get(key)
    if (!png) throw new Error('a picture that was asked for is not drawn')
    return png
  }
}

/** The thread ends with its picture: what it has loaded is 30 MB, and pictures are asked for by few. */
async function render(script: URL, svg: string): Promise<Uint8Array> {
  const worker = new Worker(script, { workerData: svg, resourceLimits: LIMITS, env: {}, execArgv: [] })
  const { promise, reject, resolve } = Promise.withResolvers<Uint8Array>()
  worker.once('message', resolve).once('error', reject)
  worker.once('exit', () => reject(new Error('the thread of a picture ended')))
  try {
    return await promise
  } finally {
    await worker.terminate()
  }
}
