import { rmSync } from 'node:fs'
import { makeFolderInMemory } from './folder-in-memory.ts'

/** The data directory of a test's host, which its processes of the product share. */
export const testDataDir = makeFolderInMemory('tradepost-test-')

process.once('exit', () => rmSync(testDataDir, { recursive: true, force: true }))
