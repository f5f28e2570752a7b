import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { TEST_NOW } from '../../../test/build-test-app.ts'
import { testDataDir } from '../../../test/database/data-dir.ts'
import { silentLog } from '../../../test/database/database.ts'
import { ProgressFile, type RangeOfFile, readNotedProgress } from './progress-file.ts'

const TRADER = '01890a5d-ac96-774b-bcce-b302099a8057'
const range = (from: number, createdAt = TEST_NOW): RangeOfFile => ({
  traderId: TRADER,
  eventNo: 3,
  from,
  createdAt,
})
const nothing = (from: number) => ({ progress: from, sent: 0 })

function open(number: number, log = silentLog) {
  const folder = mkdtempSync(join(testDataDir, 'delivery-'))
  return { folder, file: new ProgressFile({ folder, number, log }) }
}

test('the last note of each range is read, whatever other ranges noted since', async () => {
  const { folder, file } = open(7)
  const first = file.begin(range(0), nothing(0))
  const second = file.begin(range(250), nothing(250))
  first.note({ progress: 12, sent: 11 })
  second.note({ progress: 251, sent: 1 })
  await first.note({ progress: 13, sent: 12 })
  expect(readNotedProgress(folder, 7, range(0))).toEqual({ progress: 13, sent: 12 })
  expect(readNotedProgress(folder, 7, range(250))).toEqual({ progress: 251, sent: 1 })
  expect(readNotedProgress(folder, 7, range(500))).toBeNull()
  expect(readNotedProgress(folder, 70, range(0))).toBeNull()
  expect(readNotedProgress(join(folder, 'none'), 7, range(0))).toBeNull()
})

test('a slot is given to another range, and a range that came back counts from where it is furthest', async () => {
  const { folder, file } = open(7)
  const first = file.begin(range(0), nothing(0))
  first.note({ progress: 12, sent: 12 })
  first.free()
  await file.begin(range(250), nothing(250)).note({ progress: 260, sent: 10 })
  expect(readNotedProgress(folder, 7, range(0))).toBeNull()
  file.begin(range(250), { progress: 255, sent: 5 })
  expect(readNotedProgress(folder, 7, range(250))).toEqual({ progress: 260, sent: 10 })
  const [name = ''] = readdirSync(folder)
  expect(statSync(join(folder, name)).size).toBe(128)
})

test('a range of the same numbers that was made at another time is another range', async () => {
  const { folder, file } = open(7)
  await file.begin(range(0), nothing(0)).note({ progress: 12, sent: 12 })
  expect(readNotedProgress(folder, 7, range(0, new Date(TEST_NOW.getTime() + 1)))).toBeNull()
})

test('a file is removed when its worker ends it, and a week after a worker that could not', () => {
  const { folder, file } = open(7)
  const age = (name: string, days: number) => {
    writeFileSync(join(folder, name), '')
    const then = new Date(Date.now() - days * 86_400_000)
    utimesSync(join(folder, name), then, then)
  }
  age('5-eightdays', 8)
  age('6-sixdays', 6)
  file.begin(range(0), nothing(0))
  expect(readdirSync(folder).map((name) => name.split('-')[0])).toEqual(['6', '7'])
  file.remove()
  expect(readdirSync(folder)).toEqual(['6-sixdays'])
})

test('where no file can be written a worker goes on without one, and logs it once', async () => {
  const lines: string[] = []
  const folder = join(testDataDir, 'taken')
  writeFileSync(folder, 'a file, and no folder')
  const file = new ProgressFile({
    folder,
    number: 7,
    log: pino({}, { write: (line: string) => lines.push(line) }),
  })
  const slot = file.begin(range(0), nothing(0))
  await slot.note({ progress: 1, sent: 1 })
  slot.free()
  file.begin(range(250), nothing(250))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('progress of mails is not noted on this disk')
  rmSync(folder)
})
