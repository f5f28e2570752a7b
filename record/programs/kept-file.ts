import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file so that after a crash it is the old one or the new one, and on the disk once this returns. */
export function writeKept(path: string, bytes: string | Uint8Array): void {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true })
  const fresh = `${path}.new`
  const file = openSync(fresh, 'w', 0o600)
  const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  for (let at = 0; at < whole.length; ) at += writeSync(file, whole, at)
  fsyncSync(file)
  closeSync(file)
  renameSync(fresh, path)
  syncFolder(folder)
}

/** The name of a new file is on the disk once its folder is. */
function syncFolder(folder: string): void {
  const opened = openSync(folder, 'r')
  fsyncSync(opened)
  closeSync(opened)
}

/** @returns null where there is no such file */
export function readKept(path: string): Uint8Array | null {
  try {
    return new Uint8Array(readFileSync(path))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

export function readKeptText(path: string): string | null {
  const bytes = readKept(path)
  return bytes && Buffer.from(bytes).toString('utf8')
}

/** Writes one of many files, which may go to the disk side by side. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const fresh = `${path}.new`
  const file = await open(fresh, 'w')
  try {
    await file.writeFile(bytes)
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(fresh, path)
}
