import { rmSync } from 'node:fs'
import { makeFolderInMemory } from './folder-in-memory.ts'

/** The disk of the host that a test stands for: what one process of the product notes there, the next one reads. */
export const testDataDir = makeFolderInMemory('tradepost-test-')

process.once('exit', () => rmSync(testDataDir, { recursive: true, force: true }))
