/**
 * Builds `emails/dist`, `server/dist` with `sandbox/dist`, `web/dist` and the schemas of the payments sandbox, each only when a hash of its sources differs
 * from the hash that its last build left in a `.stamp` file. It notes the files that it looked at for `ready.mjs`, which looks at those alone until
 * it changes.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BUILT, describeFiles } from './describe-files.mjs'

const root = join(import.meta.dirname, '..')

/** One thing to build. `stamp`: where the hash of the sources is kept; `sources`: glob patterns from the root. */
type Target = { name: string; script: string; stamp: string; sources: string[] }

const targets: Target[] = [
  {
    name: 'e-mails',
    script: 'scripts/build-emails.ts',
    stamp: 'emails/dist/.stamp',
    sources: [
      'emails/src/**',
      'emails/package.json',
      'contract/src/**',
      'scripts/build-emails.ts',
      'scripts/build-rendering.ts',
    ],
  },
  {
    name: 'server',
    script: 'scripts/build-server.ts',
    stamp: 'server/dist/.stamp',
    sources: [
      'server/src/**',
      'server/package.json',
      'contract/src/**',
      'emails/src/**',
      'sandbox/src/**',
      'scripts/build-emails.ts',
      'scripts/build-rendering.ts',
      'scripts/build-server.ts',
    ],
  },
  {
    name: 'web app',
    script: 'scripts/build-web.ts',
    stamp: 'web/dist/.stamp',
    sources: [
      'web/src/**',
      'web/public/**',
      'web/*.html',
      'web/*.config.ts',
      'web/package.json',
      'contract/src/**',
      'record/src/**',
      'scripts/build-web.ts',
      'scripts/build-page-script.ts',
      'scripts/build-rendering.ts',
      'scripts/library-patches.ts',
    ],
  },
  {
    name: 'payments sandbox',
    script: 'scripts/build-sandbox.ts',
    stamp: 'sandbox/.cache/.stamp',
    sources: ['sandbox/src/stripe/gate/*.ts', 'scripts/build-sandbox.ts'],
  },
]

/** Taken before anything is read: a file that changes meanwhile is looked at again the next time. */
const watched = watchedPaths()
const before = describeFiles(root, watched)

for (const target of targets) {
  const fingerprint = fingerprintOf(target)
  const stamp = join(root, target.stamp)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) continue
  console.log(`Building the ${target.name} …`)
  const run = spawnSync(process.execPath, [join(root, target.script)], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (run.status !== 0) {
    console.error(String(run.stderr))
    process.exit(1)
  }
  writeFileSync(stamp, fingerprint)
}
noteBuilt()

/** Where nothing can be written, the next start reads all sources again. */
function noteBuilt(): void {
  const stamps = targets.map(({ stamp }) => stamp)
  const built = {
    paths: [...watched, ...stamps],
    files: [before, describeFiles(root, stamps)].join('\n'),
  }
  const note = join(root, BUILT)
  try {
    mkdirSync(dirname(note), { recursive: true })
    writeFileSync(`${note}.${process.pid}`, JSON.stringify(built))
    renameSync(`${note}.${process.pid}`, note)
  } catch (error) {
    if (!['EROFS', 'EACCES', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** All that a fingerprint is made of, with the folders in which something more could come to stand. */
function watchedPaths(): string[] {
  const patterns = [...new Set(targets.flatMap(({ sources }) => sources))]
  const folders = patterns.filter((pattern) => pattern.includes('*')).map(folderOf)
  const found = globSync(patterns, { cwd: root })
  return [...new Set(['package-lock.json', 'scripts/build.ts', ...folders, ...found])].sort()
}

/** The folder of a pattern's first star. */
function folderOf(pattern: string): string {
  return dirname(pattern.slice(0, pattern.indexOf('*') + 1))
}

/** A hash of the names and the contents of all sources, and of the versions of all libraries. */
function fingerprintOf(target: Target): string {
  const hash = createHash('sha256')
  hash.update(readFileSync(join(root, 'package-lock.json')))
  const files = target.sources.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  for (const path of paths.sort()) hash.update(path.slice(root.length)).update(readFileSync(path))
  return hash.digest('hex')
}
