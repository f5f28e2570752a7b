import { expect, test } from 'vitest'
import { makePictures } from './render-picture.ts'

/** A thread that answers with the text that it is given, and ends or fails for some. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads'
    if (workerData === 'ends') process.exit(0)
    if (workerData === 'fails') throw new Error('a fault of the drawing')
    parentPort.postMessage(new TextEncoder().encode(workerData))
  `)}`,
)
const textOf = async (picture: Promise<Uint8Array>) => new TextDecoder().decode(await picture)

test('a thread that ends or fails without a picture is noticed, and the next picture is drawn', async () => {
  const draw = makePictures(SCRIPT)
  const [ended, failed, next] = [draw('ends'), draw('fails'), draw('next')]
  await expect(ended).rejects.toThrow('the thread of a picture ended')
  await expect(failed).rejects.toThrow('a fault of the drawing')
  expect(await textOf(next)).toBe('next')
})

test('while as many wait as may, another picture is refused, one that is kept or waited for is not, and later it is drawn', async () => {
  const draw = makePictures(SCRIPT, 2)
  expect(await textOf(draw('kept'))).toBe('kept')
  const first = ['a', 'b', 'c'].map((name) => draw(name))
  await expect(draw('d')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 30 })
  expect(await Promise.all([draw('c'), draw('kept')].map(textOf))).toEqual(['c', 'kept'])
  expect(await Promise.all(first.map(textOf))).toEqual(['a', 'b', 'c'])
  expect(await textOf(draw('d'))).toBe('d')
})
