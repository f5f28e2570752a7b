/**
 * Makes a fresh clone ready, on whatever Node is there: installs what the lock file names, and, when asked, builds what
 * is stale. Plain JavaScript without dependencies, since nothing is installed yet when it runs.
 * Usage: node scripts/ready.mjs [build]
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILT, describeFiles } from './describe-files.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const node = join(root, 'node_modules/.bin/node')

install()
if (process.argv.includes('build')) build()

function install() {
  const stamp = join(root, 'node_modules/.tradepost-lock')
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  console.log('Installing dependencies (first run: about half a minute) …')
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...whereNpmCaches() },
  })
  if (run.error) fail(`npm could not be started: ${run.error.message}`)
  if (run.status !== 0) fail('npm ci failed; its words stand above.')
  if (!existsSync(node)) {
    fail(
      `No Node 26 is there for ${process.platform}-${process.arch}. Known: linux x64 and arm64, macOS arm64. On one of them another command was perhaps installing in this folder: run this one again.`,
    )
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, lock)
}

/** npm's cache goes into the checkout where its usual place cannot be written, as in a home that is read-only. */
function whereNpmCaches() {
  try {
    const usual = join(process.env.npm_config_cache ?? join(homedir(), '.npm'), '_cacache')
    mkdirSync(usual, { recursive: true })
    accessSync(usual, constants.W_OK)
    return {}
  } catch {
    return { npm_config_cache: join(root, '.cache/npm') }
  }
}

/** Builds nothing while every file and folder that the last build looked at is unchanged. */
function build() {
  if (isBuilt()) return
  const run = spawnSync(node, [join(root, 'scripts/build.ts')], { cwd: root, stdio: 'inherit' })
  if (run.status !== 0) process.exit(run.status ?? 1)
}

function isBuilt() {
  try {
    const { files, paths } = JSON.parse(readFileSync(join(root, BUILT), 'utf8'))
    return describeFiles(root, paths) === files
  } catch {
    return false
  }
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
