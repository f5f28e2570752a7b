import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** What a process writes that logs a line. */
function written(readable: boolean): string {
  const program = `import { makeLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
    makeLog('info', ${readable}).info({ token: 'secret' }, 'hello')`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
}

test('a line of the log is JSON for programs and plain words for people, and holds no secret in either', () => {
  expect(JSON.parse(written(false))).toMatchObject({ level: 30, msg: 'hello', token: '[redacted]' })
  const line = written(true)
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d+\] .*INFO.*hello/)
  expect(line).not.toContain('secret')
})
