import { parentPort } from 'node:worker_threads'
import { parseReport } from './parse-report.ts'

// One message at a time, so that answers need no number.
parentPort?.on('message', (raw: Uint8Array) => parentPort?.postMessage(parseReport(raw)))
