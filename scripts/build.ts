/**
 * Builds `emails/dist`, `web/dist` and the schemas of the payments sandbox, each only when a hash of its sources differs
 * from the hash that its last build left in a `.stamp` file.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** One thing to build. `stamp`: where the hash of the sources is kept; `sources`: glob patterns from the root. */
type Target = { name: string; script: string; stamp: string; sources: string[] }

const targets: Target[] = [
  {
    name: 'e-mails',
    script: 'scripts/build-emails.ts',
    stamp: 'emails/dist/.stamp',
    sources: ['emails/src/**', 'emails/package.json', 'contract/src/**', 'scripts/build-emails.ts'],
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
      'scripts/build-web.ts',
      'scripts/build-api-docs.ts',
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

/** A hash of the names and the contents of all sources, and of the versions of all libraries. */
function fingerprintOf(target: Target): string {
  const hash = createHash('sha256')
  hash.update(readFileSync(join(root, 'package-lock.json')))
  const files = target.sources.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  for (const path of paths.sort()) hash.update(path.slice(root.length)).update(readFileSync(path))
  return hash.digest('hex')
}
