import { once } from 'node:events'
import { createDeflateRaw, type DeflateRaw } from 'node:zlib'
import { Zip, ZipPassThrough } from 'fflate'

/** The number of "deflate" in the format of zip archives (APPNOTE 4.4.5). */
const DEFLATE = 8

/** A zip archive that is written file by file. @property written takes what has been written since it was taken last */
type Archive = {
  begin(name: string): { write(text: string): Promise<void>; end(): Promise<void> }
  end(): void
  written(): Uint8Array[]
}

/**
 * The format is fflate's, and the compression Node's, which has threads of its own: the event loop goes on meanwhile (ADR 0122).
 * @param at when its files were written, UTC
 */
export function makeArchive(at: Date): Archive {
  let made: Uint8Array[] = []
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    made.push(bytes)
  })
  return {
    begin(name) {
      const file = new ZipPassThrough(name)
      file.compression = DEFLATE
      file.mtime = at
      const deflate = createDeflateRaw()
      deflate.on('data', (bytes: Buffer<ArrayBuffer>) => file.ondata(null, bytes, false))
      // It counts and sums what is pushed; what goes into the archive comes from `deflate`.
      Object.assign(file, { process: () => undefined })
      zip.add(file)
      return {
        async write(text) {
          const bytes = Buffer.from(text)
          file.push(bytes)
          await compress(deflate, bytes)
        },
        async end() {
          file.push(new Uint8Array(0), true)
          deflate.end()
          await once(deflate, 'end')
          file.ondata(null, new Uint8Array(0), true)
        },
      }
    },
    end: () => zip.end(),
    written() {
      const taken = made
      made = []
      return taken
    },
  }
}

function compress(deflate: DeflateRaw, bytes: Buffer): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  deflate.write(bytes, (error) => {
    if (error) reject(error)
    else resolve()
  })
  return promise
}
