/**
 * `npm run check`: formatting, lint, types, import layers, dead code, the environment's example, words that were replaced, acceptance, bundle sizes. With
 * `--figures` it checks nothing and prints how the sources measure.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')

const checks: [title: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'ci', '--colors=off', '--error-on-warnings', '.'],
  ['types', 'tsc', '-b'],
  ['import layers', 'node', 'scripts/check-imports.ts'],
  ['dead code', 'knip'],
  ['.env.example', 'node', 'scripts/check-env-example.ts'],
  ['words', 'node', 'scripts/check-words.ts'],
  ['acceptance', 'node', 'scripts/acceptance.ts'],
  ['bundle sizes', 'node', 'scripts/check-bundle.ts'],
]

const AT_ONCE = 2

async function runCheck([title, command, ...args]: (typeof checks)[number]): Promise<boolean> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  })
  const output: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  console.log(`${code === 0 ? '✓' : '✗'} ${title}`)
  if (code !== 0) console.log(output.join(''))
  return code === 0
}

async function runChecks(): Promise<boolean> {
  const waiting = [...checks]
  const results: boolean[] = []
  async function work(): Promise<void> {
    for (let check = waiting.shift(); check; check = waiting.shift()) results.push(await runCheck(check))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results.every(Boolean)
}

if (process.argv.includes('--figures')) await import('./figures.ts')
else process.exit((await runChecks()) ? 0 : 1)
