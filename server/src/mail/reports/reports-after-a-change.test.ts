import { expect, test } from 'vitest'
import { bounce, complaint, openReportScenario } from '../../../test/mails/mail-reports.ts'
import { insertEmailUndo } from '../../auth/email-change/email-undos.queries.ts'
import { newId } from '../../platform/ids.ts'
import { readWhenDue } from './report-reader.ts'

const HOUR_MS = 3_600_000

test('for 72 hours after a change of address reports are held against nobody: they may speak of the mailbox before', async () => {
  await using scene = await openReportScenario()
  const { clock, mailbox, pathOf } = scene
  const read = () => {
    clock.advance(60_000)
    return readWhenDue(scene.deps, new AbortController().signal)
  }
  const userId = await scene.addPerson('moved')
  const now = clock.now()
  await insertEmailUndo(scene.deps.db, {
    id: newId(),
    user_id: userId,
    old_email: 'before@people.example',
    new_email: 'moved@people.example',
    created_at: now,
    expires_at: new Date(now.getTime() + 72 * HOUR_MS),
  })
  mailbox.arrive(complaint(pathOf(userId, 'one')))
  mailbox.arrive(bounce(pathOf(userId, 'two')))
  expect(await read()).toBe(2)
  expect(await scene.suppressed()).toEqual([])
  const { rows } = await scene.pool.query('select counts from mail_reports')
  expect(rows).toEqual([{ counts: false }, { counts: false }])
  clock.advance(72 * HOUR_MS)
  mailbox.arrive(complaint(pathOf(userId, 'three')))
  expect(await read()).toBe(1)
  expect(await scene.suppressed()).toEqual(['moved@people.example complained'])
})
