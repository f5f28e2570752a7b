import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { connectDatabase } from '../../src/platform/database/database.ts'
import { buildTestApp } from '../build-test-app.ts'
import { openTestDatabase } from '../database/database.ts'
import { call } from '../factories.ts'
import { signIn } from '../sign-in/sign-in.ts'

const room = await openTestDatabase()
afterAll(() => room[Symbol.asyncDispose]())

/** Writes of feedback and of usernames, and new files, are refused as they are where the disk is full. */
async function fillDisk(): Promise<void> {
  await room.pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  for (const table of ['feedback', 'accounts'])
    await room.pool.query(
      `create trigger full_disk before insert or update on ${table} for each row execute function refuse()`,
    )
  await room.pool.query(`create function refuse_files() returns event_trigger language plpgsql as $$
    begin raise exception 'could not create file: No space left on device' using errcode = '53100'; end $$`)
  await room.pool.query(
    "create event trigger full_disk_files on ddl_command_start when tag in ('CREATE TABLE AS') execute function refuse_files()",
  )
}

async function freeDisk(): Promise<void> {
  await room.pool.query('drop event trigger full_disk_files')
  for (const table of ['feedback', 'accounts']) await room.pool.query(`drop trigger full_disk on ${table}`)
}

test('a full database disk is answered 503, logged once, reported by /readyz, and needs no restart', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) })
  const database = { ...connectDatabase({ url: room.url, size: 4, log }), url: room.url }
  const testApp = await buildTestApp({ database })
  const person = await signIn(testApp)
  const sendFeedback = () => call(testApp, person, 'POST', '/v1/feedback', { feedback: 'I like it a lot.' })
  const readiness = async () => {
    const answer = await testApp.app.inject({ url: '/readyz' })
    return { status: answer.statusCode, ...answer.json() }
  }
  expect((await sendFeedback()).status).toBe(201)
  expect(await readiness()).toMatchObject({ database: true })
  await fillDisk()
  for (let attempt = 0; attempt < 3; attempt += 1)
    expect(await sendFeedback()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  // It is the disk that refuses the name, not somebody who has it.
  const name = await call(testApp, person, 'POST', '/v1/accounts/username', { username: 'roomy' })
  expect(name).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(await readiness()).toMatchObject({ status: 503, ready: false, database: 'full', migrations: true })
  expect(await readiness()).toMatchObject({ database: 'full' })
  expect(lines.filter((line) => line.includes('the disk of the database is full'))).toHaveLength(1)
  await freeDisk()
  expect((await sendFeedback()).status).toBe(201)
  expect(await readiness()).toMatchObject({ database: true })
  await testApp.close()
  await database.close()
})
