import { unzipSync } from 'fflate'
import { expect } from 'vitest'
import type { TestApp } from './build-test-app.ts'
import { call } from './factories.ts'
import type { SignedIn } from './sign-in/sign-in.ts'

type Row = Record<string, string | number | boolean | null>

/** A file of somebody's data as it was read again. @property of the tables of `data.json` by name */
export type ReadFile = { names: string[]; textOf(name: string): string; of(table: string): Row[] }

/** Asks for a file. @returns the path that gives it */
export async function askForFile(testApp: TestApp, who: SignedIn): Promise<string> {
  const { body, status } = await call(testApp, who, 'POST', '/v1/accounts/export')
  expect({ status, ...body }).toMatchObject({ status: 201 })
  return String(body.path)
}

/** The answer to pressing the button of a link. */
export const pressLink = ({ app }: Pick<TestApp, 'app'>, path: string) =>
  app.inject({ method: 'POST', url: path })

/** Asks for a file and takes it. */
export async function takeFile(testApp: TestApp, who: SignedIn): Promise<ReadFile> {
  const answer = await pressLink(testApp, await askForFile(testApp, who))
  expect(answer.statusCode, answer.body.slice(0, 400)).toBe(200)
  return readFile(answer.rawPayload)
}

export function readFile(archive: Uint8Array): ReadFile {
  const files = unzipSync(archive)
  const textOf = (name: string) => new TextDecoder('utf8', { ignoreBOM: true }).decode(files[name])
  const data = JSON.parse(textOf('data.json')) as Record<string, Row[]>
  return { names: Object.keys(files), textOf, of: (table) => data[table] ?? [] }
}
