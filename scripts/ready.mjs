/**
 * Makes a fresh clone ready, on whatever Node is there: installs what the lock file names, and, when asked, builds what
 * is stale or finds a browser. Plain JavaScript without dependencies, since nothing is installed yet when it runs.
 * Usage: node scripts/ready.mjs [build] [browser]
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const wanted = new Set(process.argv.slice(2))
const node = join(root, 'node_modules/.bin/node')

install()
if (wanted.has('build')) runScript('build.ts')
if (wanted.has('browser')) runScript('browser.ts')

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
    shell: process.platform === 'win32',
  })
  if (run.status !== 0) fail('npm ci failed; its words stand above.')
  if (!existsSync(node)) {
    fail(
      `No Node 26 came with the lock file for ${process.platform}-${process.arch}. Known: linux x64 and arm64, macOS arm64.`,
    )
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, lock)
}

function runScript(name) {
  const run = spawnSync(node, [join(root, 'scripts', name)], {
    cwd: root,
    stdio: 'inherit',
    env: withNode26(),
  })
  if (run.status !== 0) process.exit(run.status ?? 1)
}

function withNode26() {
  return { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` }
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
