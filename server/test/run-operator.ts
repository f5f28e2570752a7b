import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { TestApp } from './build-test-app.ts'
import { nodeEnvironment } from './processes/node-environment.ts'

const run = promisify(execFile)

/** `npm run operator` as an operator types it, against the test's database and at the test's time. @returns what it prints */
export function runOperator(testApp: TestApp, ...words: string[]): Promise<string> {
  return operate(testApp, words)
}

/** `npm run operator -- status`, with variables beside those of the test. @returns with its exit code */
export async function askStatus(
  testApp: TestApp,
  variables: Record<string, string> = {},
): Promise<{ code: number; text: string }> {
  try {
    return { code: 0, text: await operate(testApp, ['status'], variables) }
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string }
    return { code, text: stdout }
  }
}

async function operate(
  testApp: TestApp,
  words: string[],
  variables: Record<string, string> = {},
): Promise<string> {
  const clockFile = join(mkdtempSync(join(tmpdir(), 'tradepost-operator-')), 'clock')
  writeFileSync(clockFile, String(testApp.clock.now().getTime() - Date.now()))
  try {
    const { stdout } = await run(
      process.execPath,
      [join(import.meta.dirname, '../src/operator.ts'), ...words],
      {
        cwd: import.meta.dirname,
        env: {
          ...nodeEnvironment,
          NODE_ENV: 'test',
          CLOCK_FILE: clockFile,
          DATABASE_URL: testApp.url,
          AUTH_SECRET: testApp.settings.authSecret,
          ...variables,
        },
      },
    )
    return stdout
  } finally {
    rmSync(dirname(clockFile), { recursive: true })
  }
}
