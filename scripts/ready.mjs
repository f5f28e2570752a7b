/**
 * Makes a fresh clone ready, on whatever Node is there: installs what the lock file names, and, when asked, builds what
 * is stale. Plain JavaScript without dependencies, since nothing is installed yet when it runs.
 * Usage: node scripts/ready.mjs [build]
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILT, describeFiles } from './describe-files.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const node = join(root, 'node_modules/.bin/node')
const stamp = join(root, 'node_modules/.tradepost-lock')
const lock = join(root, '.cache/getting-ready')
const LOOK_EVERY_MS = 250

const wantsBuild = process.argv.includes('build')
if (!isInstalled() || (wantsBuild && !isBuilt())) {
  // Two first commands at once would delete each other's files.
  takeLock()
  process.on('exit', () => rmSync(lock, { force: true }))
  if (!isInstalled()) install()
  if (wantsBuild && !isBuilt()) build()
}

/** Waits while another command installs or builds in this folder. */
function takeLock() {
  mkdirSync(dirname(lock), { recursive: true })
  for (let isFirst = true; !take(lock); isFirst = false) {
    if (!isFirst) pause(LOOK_EVERY_MS)
    else if (existsSync(lock)) console.log('Another command makes this folder ready: waiting for it …')
  }
}

/**
 * Takes a lock unless a process that is at work holds it. That of a killed one is taken over under a lock behind it, so that no two take it
 * over; one that was killed meanwhile is followed in the same way.
 */
function take(path) {
  const own = `${path}.${process.pid}`
  const write = () => writeFileSync(own, String(process.pid))
  write()
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(own)
  }
  const holder = holderOf(path)
  if (Number.isNaN(holder) || isAtWork(holder)) return false
  const behind = `${path}.taken-over`
  if (!take(behind)) return false
  const isStill = holderOf(path) === holder
  if (isStill) {
    write()
    renameSync(own, path)
  }
  rmSync(behind)
  return isStill
}

/** @returns the process that holds a lock; NaN where nobody does any more */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return Number.NaN
  }
}

/** Numbers of processes are used again: another program's is not at work here. */
function isAtWork(pid) {
  const { error, stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  return !error && stdout.includes('ready.mjs')
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function isInstalled() {
  return existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lockFileHash()
}

function lockFileHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function install() {
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
      `No Node 26 is there for ${process.platform}-${process.arch}. Known: linux x64 and arm64, macOS arm64.`,
    )
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, lockFileHash())
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

function build() {
  const run = spawnSync(node, [join(root, 'scripts/build.ts')], { cwd: root, stdio: 'inherit' })
  if (run.status !== 0) process.exit(run.status ?? 1)
}

/** Whether every file and folder that the last build looked at is unchanged. */
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
