import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { extname, join } from 'node:path'
import { findSystemPostgres } from '../../server/test/database/system-postgres.ts'

const BUILDS = join(import.meta.dirname, '../../.cache/citus')
const SHIM = join(import.meta.dirname, 'shim.h')
const PACKAGES =
  'autoconf bison flex gcc libcurl4-openssl-dev libkrb5-dev liblz4-dev libpam0g-dev libreadline-dev libselinux1-dev libssl-dev libxslt1-dev libzstd-dev make'
/** Files that an earlier build may have left in the sources. */
const BUILT = ['.o', '.so', '.a', '.bc']
const HOW_TO_GET =
  'Citus is not built here: get its sources (git clone --branch v13.2.2 https://github.com/citusdata/citus) and run CITUS_SRC=<that folder> node bench/citus.ts build'

/** The message is a sentence for the operator of the benchmark. */
export class CannotBuild extends Error {}

/**
 * Builds Citus for the system's PostgreSQL beside a copy of that, which alone can load it; a build that is there is taken. Neither
 * the sources nor the system's PostgreSQL are written to.
 * @param sources folder of Citus's sources; without one, a build has to be there
 * @returns folder of the copy's programs
 * @throws with one sentence about what is missing
 */
export function buildCitus(sources = process.env.CITUS_SRC): string {
  const system = findSystemPostgres()
  if (!system) throw new CannotBuild('No PostgreSQL of the system was found (Debian: postgresql-15).')
  const postgres = versionOf(system)
  const citus = sources ? versionIn(sources) : null
  const there = builtFor(postgres).find((build) => !citus || build === `${citus}-on-${postgres}`)
  if (there) return join(BUILDS, there, system)
  if (!sources || !citus) throw new CannotBuild(HOW_TO_GET)
  const work = join(BUILDS, 'work')
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  compile(system, { sources, work })
  const build = `${citus}-on-${postgres}`
  renameSync(join(work, 'tree'), join(BUILDS, build))
  rmSync(work, { recursive: true })
  return join(BUILDS, build, system)
}

/** Names of the folders of finished builds, newest version last. */
function builtFor(postgres: string): string[] {
  const builds = existsSync(BUILDS) ? readdirSync(BUILDS) : []
  return builds.filter((name) => name.endsWith(`-on-${postgres}`)).sort()
}

function versionOf(bin: string): string {
  const printed = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' })
  return /\d+\.\d+/.exec(printed)?.[0] ?? ''
}

function versionIn(sources: string): string {
  const configure = join(sources, 'configure')
  const text = existsSync(configure) ? readFileSync(configure, 'utf8') : ''
  const version = /^PACKAGE_VERSION='([^']+)'/m.exec(text)?.[1]
  if (!version) throw new CannotBuild(`${sources} holds no sources of Citus.`)
  return version
}

function compile(system: string, { sources, work }: { sources: string; work: string }): void {
  const [source, tree] = [join(work, 'source'), join(work, 'tree')]
  const filter = (path: string) => !BUILT.includes(extname(path)) && !path.endsWith('/.git')
  cpSync(sources, source, { recursive: true, filter, preserveTimestamps: true })
  const log = join(BUILDS, 'build.log')
  const output = openSync(log, 'w')
  const run = (...[command = '', ...args]: string[]) =>
    spawnSync(command, args, { cwd: source, stdio: ['ignore', output, output] }).status === 0
  const home = join(system, '..')
  if (!run('./configure', `PG_CONFIG=${system}/pg_config`, '--without-libcurl'))
    throw new CannotBuild(missingPackages(home, log))
  // PostgreSQL's programs look for the rest of theirs beside themselves, so a copy is a server of its own.
  for (const part of [home, home.replace('/lib/', '/share/')])
    cpSync(part, join(tree, part), { recursive: true, verbatimSymlinks: true })
  const flags = ['with_llvm=no', `COPT=-include ${SHIM}`]
  const isBuilt =
    run('make', `-j${availableParallelism()}`, ...flags) &&
    run('make', 'install-all', `DESTDIR=${tree}`, ...flags)
  if (!isBuilt) throw new CannotBuild(`Citus does not compile: the end of ${log} says why.`)
}

function missingPackages(home: string, log: string): string {
  const needed = [...PACKAGES.split(' '), `postgresql-server-dev-${home.split('/').at(-1)}`]
  const isMissing = (name: string) =>
    spawnSync('dpkg-query', ['--show', name], { stdio: 'ignore' }).status !== 0
  const missing = needed.filter(isMissing)
  return missing.length > 0
    ? `Citus cannot be built without these Debian packages: ${missing.join(' ')}.`
    : `Citus cannot be configured: the end of ${log} says why.`
}
