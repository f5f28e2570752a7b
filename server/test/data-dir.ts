import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The disk of the host that a test stands for: what one process of the product notes there, the next one reads. */
export const testDataDir = mkdtempSync(join(tmpdir(), 'tradepost-test-'))

process.once('exit', () => rmSync(testDataDir, { recursive: true, force: true }))
