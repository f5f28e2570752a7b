import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** The product's sources in a folder of their own, beside the repository's libraries: what a later change would touch. */
export type ProductCopy = {
  /** The `main` of a worker process in this copy. */
  main: string
  /** Adds a file. */
  add(file: string, text: string): void
  /** @throws when the file does not contain what is to be replaced */
  edit(file: string, before: string, after: string): void
  /** Runs a script of it. @returns what it printed @throws when it failed */
  run(...script: string[]): string
  [Symbol.dispose](): void
}

export function copyProduct(): ProductCopy {
  const copy = mkdtempSync(join(tmpdir(), 'tradepost-copy-'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  mkdirSync(join(copy, 'node_modules/@tradepost'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@tradepost') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  for (const workspace of ['contract', 'emails', 'record', 'server']) {
    for (const part of ['package.json', 'src'])
      cpSync(join(root, workspace, part), join(copy, workspace, part), { recursive: true })
    symlinkSync(join(copy, workspace), join(copy, 'node_modules/@tradepost', workspace))
  }
  for (const folder of ['server/migrations', 'server/texts'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true })
  mkdirSync(join(copy, 'scripts'))
  mkdirSync(join(copy, 'emails/dist'))
  for (const file of ['scripts/build-emails.ts', 'scripts/build-rendering.ts'])
    cpSync(join(root, file), join(copy, file))
  return {
    main: join(copy, 'server/src/main.ts'),
    add(file, text) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), text)
    },
    edit(file, before, after) {
      const text = readFileSync(join(copy, file), 'utf8')
      if (!text.includes(before)) throw new Error(`${file} does not contain: ${before}`)
      writeFileSync(join(copy, file), text.replace(before, after))
    },
    run: (...script) => execFileSync(process.execPath, script, { cwd: copy, encoding: 'utf8' }),
    [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }),
  }
}
