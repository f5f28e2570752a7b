import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeFiles } from './describe-files.mjs'

const root = join(import.meta.dirname, '..')

/** A package that brings a Node as ours does, and would write a file when it is installed. */
const PACKAGE = {
  name: 'brings-node',
  version: '1.0.0',
  bin: { node: 'node' },
  scripts: { preinstall: 'touch ran', install: 'touch ran', postinstall: 'touch ran' },
}
const PROJECT = { name: 'project', version: '1.0.0', dependencies: { 'brings-node': 'file:brings-node' } }
const LOCK = {
  ...{ name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true },
  packages: {
    '': PROJECT,
    'brings-node': { version: '1.0.0', bin: PACKAGE.bin, hasInstallScript: true },
    'node_modules/brings-node': { resolved: 'brings-node', link: true },
  },
}

type Place = AsyncDisposable & {
  folder: string
  ready(home: string, ...words: string[]): { status: number | null; output: string }
}

/** A folder that has of ours what an installation needs, and the package above as all that is to be installed. */
function makePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost ü '))
  mkdirSync(join(folder, 'brings-node'))
  for (const file of ['.npmrc', 'scripts/ready.mjs', 'scripts/describe-files.mjs'])
    cpSync(join(root, file), join(folder, file))
  writeFileSync(join(folder, 'brings-node/node'), '#!/bin/sh\n', { mode: 0o755 })
  const written = {
    'package.json': PROJECT,
    'package-lock.json': LOCK,
    'brings-node/package.json': PACKAGE,
  }
  for (const [file, content] of Object.entries(written))
    writeFileSync(join(folder, file), JSON.stringify(content))
  return {
    folder,
    ready(home, ...words) {
      const script = join(folder, 'scripts/ready.mjs')
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], {
        cwd: tmpdir(),
        env: { PATH: process.env.PATH, HOME: home, npm_config_offline: 'true' },
        encoding: 'utf8',
      })
      return { status, output: stdout + stderr }
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true })
    },
  }
}

test('an installation runs no script of a package', async () => {
  await using place = makePlace()
  const { status, output } = place.ready(place.folder)
  expect([status, output]).toEqual([0, expect.stringContaining('Installing dependencies')])
  expect(existsSync(join(place.folder, 'node_modules/.bin/node'))).toBe(true)
  expect(existsSync(join(place.folder, 'brings-node/ran'))).toBe(false)
  expect(place.ready(place.folder)).toEqual({ status: 0, output: '' })
})

test('npm keeps what it downloads in the checkout where it cannot in the home', async () => {
  await using place = makePlace()
  expect(place.ready(place.folder).status).toBe(0)
  expect(existsSync(join(place.folder, '.npm'))).toBe(true)
  await using other = makePlace()
  expect(other.ready('/dev/null').status).toBe(0)
  expect(existsSync(join(other.folder, '.cache/npm'))).toBe(true)
})

test('a build is asked for when a file that the last one looked at has changed, come or gone, and not otherwise', async () => {
  await using place = makePlace()
  const { folder } = place
  // A stand-in for the build prints that it ran, and notes nothing.
  writeFileSync(join(folder, 'brings-node/node'), '#!/bin/sh\necho built\n', { mode: 0o755 })
  place.ready(folder)
  mkdirSync(join(folder, 'src'))
  const file = join(folder, 'src/one.ts')
  writeFileSync(file, 'one')
  const paths = ['src', 'src/one.ts']
  const note = () => {
    mkdirSync(join(folder, '.cache'), { recursive: true })
    const built = { paths, files: describeFiles(folder, paths) }
    writeFileSync(join(folder, '.cache/built.json'), JSON.stringify(built))
  }
  const output = () => place.ready(folder, 'build').output
  expect(output()).toBe('built\n')
  note()
  expect(output()).toBe('')
  // Of the same length and the same age, as far as a file's visible times show.
  writeFileSync(file, 'two')
  utimesSync(file, 1, 1)
  note()
  writeFileSync(file, 'six')
  utimesSync(file, 1, 1)
  expect(output()).toBe('built\n')
  note()
  writeFileSync(join(folder, 'src/two.ts'), '')
  expect(output()).toBe('built\n')
  note()
  rmSync(join(folder, 'src/two.ts'))
  expect(output()).toBe('built\n')
  note()
  rmSync(file)
  expect(output()).toBe('built\n')
})

test('of commands at once one installs and builds, and the others wait for it; a killed one holds nobody up', async () => {
  await using place = makePlace()
  const { folder } = place
  const built = join(folder, '.cache/built.json')
  // A stand-in for the build takes a moment, and notes that it looked at nothing.
  const program = `#!/bin/sh\necho built\nsleep 1\necho '${JSON.stringify({ paths: [], files: describeFiles(folder, []) })}' > '${built}'\n`
  writeFileSync(join(folder, 'brings-node/node'), program, { mode: 0o755 })
  mkdirSync(join(folder, '.cache'))
  // The number of a process that has ended, and of one that is none of ours.
  const ended = spawnSync('true').pid
  for (const holder of [ended, process.ppid]) {
    writeFileSync(join(folder, '.cache/getting-ready'), String(holder))
    rmSync(built, { force: true })
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    const outputs = await Promise.all(Array.from({ length: 4 }, () => readyMeanwhile(folder)))
    expect(outputs.map(({ status }) => status)).toEqual([0, 0, 0, 0])
    expect(outputs.filter(({ output }) => output.includes('Installing'))).toHaveLength(1)
    expect(outputs.filter(({ output }) => output.includes('built'))).toHaveLength(1)
    expect(readdirSync(join(folder, '.cache')).filter((name) => name.startsWith('getting'))).toEqual([])
  }
})

async function readyMeanwhile(folder: string): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [join(folder, 'scripts/ready.mjs'), 'build'], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: folder, npm_config_offline: 'true' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      output += part.toString()
    })
  }
  await once(child, 'close')
  return { status: child.exitCode, output }
}

test('every command of package.json that needs an installation makes it first', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const without = Object.entries(scripts).filter(
    ([, command]) => !command.startsWith('node scripts/ready.mjs'),
  )
  expect(without).toEqual([['format', 'biome check --write .']])
  // npm runs neither where scripts are off.
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)/.test(name))).toEqual([])
})
