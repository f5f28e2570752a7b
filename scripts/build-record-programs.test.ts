import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildRecordProgram, builtProgram, RECORD_PROGRAMS, sha256Of } from './build-record-programs.ts'

const changelog = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
const [, newest = ''] = changelog.split(/^## /m)

test.each(RECORD_PROGRAMS)(
  '%s.mjs is what its sources make, and its SHA-256 is in the newest notes',
  (name) => {
    const text = readFileSync(builtProgram(name), 'utf8')
    // After a change: node scripts/build-record-programs.ts, and its lines into CHANGELOG.md.
    expect(text === buildRecordProgram(name)).toBe(true)
    expect(newest).toContain(`- \`${name}.mjs\` ${sha256Of(text)}`)
  },
)
