import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CACHE = join(import.meta.dirname, '../../.cache/debian')
const DOWNLOAD_MS = 300_000

/** Real servers cannot be had on this machine; the message is the reason. */
export class NotHere extends Error {}

/** Why nothing can be unpacked here, in words; null where it can. */
function whyNoDebian(): string | null {
  if (process.getuid?.() !== 0) return 'only root may run programs in a folder of their own (chroot)'
  const folders = (process.env.PATH ?? '').split(':')
  const lacks = ['apt-get', 'dpkg-deb', 'chroot'].filter(
    (name) => !folders.some((folder) => folder !== '' && readdirSafely(folder).includes(name)),
  )
  return lacks.length > 0 ? `this machine has no ${lacks.join(', no ')}` : null
}

function readdirSafely(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * @param name of the folder in the cache: conflicting servers need one each
 * @returns the packages with all that they depend on, as files
 * @throws NotHere when they cannot be had
 */
export async function downloadPackages(name: string, packages: string[]): Promise<string[]> {
  const why = whyNoDebian()
  if (why !== null) throw new NotHere(why)
  const cache = join(CACHE, name)
  mkdirSync(join(cache, 'archives/partial'), { recursive: true })
  // As on a machine without anything: then everything is fetched that they depend on.
  const status = join(cache, 'status')
  writeFileSync(status, '')
  const options = [
    `Dir::State::status=${status}`,
    `Dir::Cache=${cache}`,
    'APT::Sandbox::User=root',
    'Debug::NoLocking=1',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
  ]
  const settings = options.flatMap((option) => ['-o', option])
  const command = ['install', '-y', '--download-only', '--no-install-recommends', ...settings, ...packages]
  await run('apt-get', command, { timeout: DOWNLOAD_MS, maxBuffer: 1e7 }).catch((error: unknown) => {
    throw new NotHere(`${packages[0]} cannot be fetched: ${error}`)
  })
  return readdirSync(join(cache, 'archives'))
    .filter((file) => file.endsWith('.deb'))
    .map((file) => join(cache, 'archives', file))
}
