import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

const FONTS = join(import.meta.dirname, '../../fonts')
const files = createRequire(import.meta.url)

await initWasm(readFileSync(files.resolve('@resvg/resvg-wasm/index_bg.wasm')))
const fontBuffers = ['geist-400.ttf', 'geist-600.ttf'].map((file) => readFileSync(join(FONTS, file)))
const picture = new Resvg(workerData as string, { font: { fontBuffers } }).render()
parentPort?.postMessage(picture.asPng())
