import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'

const INSTALLER_TIMEOUT_MS = 60_000
/** The shell without windows comes first: the same engine, and the journeys take half the time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
/** Debian 12 and later have both; older ones only the second. */
const DEBIAN_PACKAGES = ['chromium-headless-shell', 'chromium']

/** The Chromium that is there: CHROMIUM_PATH, then PATH, then Playwright's own cache; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.CHROMIUM_PATH
  if (given && existsSync(given)) return given
  for (const name of NAMES) {
    const found = findOnPath(name)
    if (found) return found
  }
  const cached = chromium.executablePath()
  return existsSync(cached) ? cached : null
}

/** Finds a Chromium or installs one: Playwright's installer for at most a minute, else Debian's package if root. */
export function ensureChromium(): string | null {
  const found = findChromium()
  if (found) return found
  console.log('No Chromium found: trying to install one …')
  spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../node_modules/@playwright/test/cli.js'), 'install', 'chromium'],
    {
      stdio: 'ignore',
      timeout: INSTALLER_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    },
  )
  const downloaded = findChromium()
  if (downloaded) return downloaded
  for (const name of DEBIAN_PACKAGES) if (installPackages([name])) break
  return findChromium()
}

export function findOnPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

/** Installs Debian's packages. @returns false where only somebody else may, or where there are none */
export function installPackages(names: string[]): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
  spawnSync('apt-get', ['update', '-qq'], options)
  return spawnSync('apt-get', ['install', '-y', '-qq', ...names], options).status === 0
}

/** Chromium's sandbox refuses root; everybody else keeps it. */
export function chromiumArguments(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}
