/**
 * `node scripts/image-stages.ts <folder>`: runs the stages of the Dockerfile as commands, each in a clean folder below the given one, where
 * there is no container engine. It knows the instructions that the file uses. The result is the product as the image holds it: prints its
 * folder, its size and the command that starts it.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')
const [target] = process.argv.slice(2)
if (!target) throw new Error('Name the folder in which the stages are run.')

type Stage = { name: string; root: string; env: Record<string, string> }

const ignored = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replace('**/', ''))
const stages: Stage[] = []
let command = ''

for (const line of readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n')) {
  const [, instruction, rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
  const stage = stages.at(-1)
  if (instruction === 'FROM') begin(rest)
  else if (!stage) continue
  else if (instruction === 'ENV') {
    const [name = '', value = ''] = rest.split('=')
    stage.env[name] = value
  } else if (instruction === 'COPY') copy(stage, rest.split(' '))
  else if (instruction === 'RUN') run(stage, rest)
  else if (instruction === 'CMD') command = (JSON.parse(rest) as string[]).join(' ')
}
const image = stages.at(-1)
const size = spawnSync('du', ['-sm', image?.root ?? ''], { encoding: 'utf8' }).stdout.split('\t')[0]
console.log(`${image?.root}\n${size} MB\n${command}`)

function begin(rest: string): void {
  const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'image'
  const folder = join(resolve(target ?? ''), name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  stages.push({ name, root: folder, env: {} })
}

/** From the checkout without what is ignored, or from another stage; the places of the image are below its folder. */
function copy(stage: Stage, parts: string[]): void {
  const from = stages.find(({ name }) => parts[0] === `--from=${name}`)
  const sources = parts.slice(from ? 1 : 0, -1)
  const to = join(stage.root, parts.at(-1) ?? '')
  for (const source of sources) {
    const path = from ? join(from.root, source.replace(/^\/product\//, '')) : join(root, source)
    if (!existsSync(path)) throw new Error(`The Dockerfile copies ${source}, which is not there.`)
    const place = statSync(path).isDirectory() || !parts.at(-1)?.endsWith('/') ? to : join(to, source)
    mkdirSync(dirname(place), { recursive: true })
    cpSync(path, place, { recursive: true, filter: (file) => from !== undefined || !isIgnored(file) })
  }
}

function isIgnored(file: string): boolean {
  return file
    .slice(root.length)
    .split('/')
    .some((part) => ignored.includes(part))
}

function run(stage: Stage, script: string): void {
  // The place of data is a volume of the image, and its owner a user of it.
  const here = script.replace(/mkdir -p \/data && chown node:node \/data/, 'true')
  const { status } = spawnSync('sh', ['-c', here], {
    cwd: stage.root,
    stdio: 'inherit',
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: process.env.HOME, ...stage.env },
  })
  if (status !== 0) throw new Error(`The stage ${stage.name} failed at: ${script}`)
}
