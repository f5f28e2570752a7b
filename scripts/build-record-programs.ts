import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

/**
 * The programs that check the record, each in one file that Node 20 runs alone. They are in the repository as they are built, so that
 * anybody can take one, compare its SHA-256 with that of the release, and read it.
 */
export const RECORD_PROGRAMS = ['verify', 'witness', 'mirror'] as const

const record = join(import.meta.dirname, '../record')

export const builtProgram = (name: string): string => join(record, 'built', `${name}.mjs`)

/** @returns the text of the file, the same for the same sources and version of esbuild */
export function buildRecordProgram(name: (typeof RECORD_PROGRAMS)[number]): string {
  const { outputFiles } = buildSync({
    absWorkingDir: record,
    entryPoints: [`programs/${name}.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
    banner: { js: '#!/usr/bin/env node' },
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

if (import.meta.main)
  for (const name of RECORD_PROGRAMS) {
    const text = buildRecordProgram(name)
    writeFileSync(builtProgram(name), text)
    console.log(`- \`${name}.mjs\` ${sha256Of(text)}`)
  }
