import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { readFile as readArchive } from '../../../test/exports.ts'
import { makeTrader } from '../../../test/factories.ts'
import { runOperator } from '../../../test/run-operator.ts'

test('an operator writes somebody’s file where only they read it, for a reason that the person finds in it', async () => {
  await using testApp = await buildTestApp()
  const maria = await makeTrader(testApp, 'maria')
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-export-'))
  try {
    const file = join(folder, 'maria.zip')
    const refusedWith = (...words: string[]) =>
      runOperator(testApp, 'export', ...words).then(
        () => 'done',
        (error: { stderr: string }) => error.stderr,
      )
    expect(await refusedWith('@maria', file)).toContain('Say why')
    expect(await refusedWith('nobody', file, 'Asked by post.')).toContain(
      'Nobody has that mail address or username.',
    )
    expect(await readdir(folder)).toEqual([])

    expect(await runOperator(testApp, 'export', '@maria', file, 'Asked', 'by', 'post.')).toMatch(
      /^Wrote \d+ bytes\.\n$/,
    )
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const archive = readArchive(await readFile(file))
    expect(archive.of('account')).toMatchObject([{ email: maria.email, username: 'maria' }])
    expect(archive.of('security_log')).toMatchObject([
      { action: 'export_requested', detail: 'by operator: Asked by post.' },
    ])
    expect(await refusedWith(maria.email, file, 'Asked again.')).toContain('EEXIST')

    // A file that cannot be written to its end is none.
    await testApp.pool.query('alter table trader_income_months rename to gone_months')
    expect(await refusedWith('maria', join(folder, 'half.zip'), 'Asked by post.')).toContain('does not exist')
    expect(await readdir(folder)).toEqual(['maria.zip'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
