import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
/** Everything that the runner writes. */
export const CACHE = join(ROOT, '.cache')

/** Neither generated code nor what only a demo world or a developer's machine runs. */
const LEFT_OUT = [
  /\.(test|d)\.ts$/,
  /^server\/src\/platform\/schema\.ts$/,
  /^server\/src\/(dev\/|local-services\.ts$)/,
]

/** The files that are mutated, sorted. */
export function mutatedFiles(): string[] {
  return projectFiles()
    .filter((file) => /^(server|contract)\/src\/.*\.ts$/.test(file))
    .filter((file) => !LEFT_OUT.some((pattern) => pattern.test(file)))
    .sort()
}

/** Every file of the working tree that git knows or would add. */
function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)))
}

export function readSource(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

export function fingerprint(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n${readSource(file)}\n`)
  return hash.digest('hex').slice(0, 16)
}

/**
 * A copy of the project in which code may be changed: its workspaces name each other, not those of the working tree. The working tree's
 * builds are copied too.
 * @param name of the folder, in .cache; an older copy of this name goes
 */
export function copyTree(name: string): string {
  const tree = join(CACHE, name)
  rmSync(tree, { recursive: true, force: true })
  for (const file of projectFiles()) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(tree, file))
  }
  for (const built of ['web/dist', 'emails/dist'])
    if (existsSync(join(ROOT, built))) cpSync(join(ROOT, built), join(tree, built), { recursive: true })
  const modules = join(tree, 'node_modules')
  mkdirSync(join(modules, '@tradepost'), { recursive: true })
  for (const entry of readdirSync(join(ROOT, 'node_modules')))
    if (entry !== '@tradepost') symlinkSync(join(ROOT, 'node_modules', entry), join(modules, entry))
  for (const workspace of readdirSync(join(ROOT, 'node_modules/@tradepost')))
    symlinkSync(join('../..', workspace), join(modules, '@tradepost', workspace))
  return tree
}

export function writeSource(tree: string, file: string, text: string): void {
  writeFileSync(join(tree, file), text)
}
