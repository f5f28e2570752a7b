import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readKeptText } from './kept-file.ts'
import { Usage } from './run-program.ts'

/** Takes a folder for this process: two that write into one could sign two histories. @throws Usage where another one lives in it */
export function lockFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'process')
  const other = Number(readKeptText(file) ?? 0)
  // In a container that was started again the number may be one's own.
  if (other > 0 && other !== process.pid && isAlive(other))
    throw new Usage(`Process ${other} uses ${folder}.`)
  rmSync(file, { force: true })
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    throw new Usage(`Another process has just taken ${folder}.`)
  }
  process.once('exit', () => rmSync(file, { force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
