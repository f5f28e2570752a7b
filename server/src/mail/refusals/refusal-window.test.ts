import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NotedRefusal } from './alike-refusals.ts'
import { makeRefusalWindow } from './refusal-window.ts'

const NOW = new Date('2026-03-04T15:00:00.000Z')

function refusalOf(mailNo: number): NotedRefusal {
  return { traderId: 'trader', eventNo: 1, mailNo, userId: `user-${mailNo}` }
}

test('twenty refusals among fifty recipients are taken back together, and the count begins again', () => {
  const window = makeRefusalWindow()
  const answers = Array.from({ length: 40 }, (_, mailNo) => window.refused(refusalOf(mailNo), NOW))
  const takenBack = answers.map((refusals) => refusals?.map(({ mailNo }) => mailNo) ?? null)
  expect(takenBack.filter((refusals) => refusals !== null)).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39],
  ])
  expect(window.refusesUs).toEqual(NOW)
})

test('the latest fifty recipients count, and nobody before them', () => {
  const window = makeRefusalWindow()
  window.refused(refusalOf(0), NOW)
  for (let mailNo = 1; mailNo <= 49; mailNo += 1) {
    if (mailNo > 31) expect(window.refused(refusalOf(mailNo), NOW)).toBeNull()
    else window.taken(`user-${mailNo}`, `${mailNo}@people.example`, NOW)
  }
  // Of these fifty nineteen were refused; the first of all is the fifty-first.
  expect(window.refused(refusalOf(50), NOW)).toBeNull()
  expect(window.refusesUs).toBeNull()
  expect(window.refused(refusalOf(51), NOW)).toHaveLength(20)
})

test('over random answers the refusals that are taken back are those of a plain list of the latest fifty recipients', () => {
  // Refusals in rushes: else there are hardly ever twenty of fifty.
  const answer = fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 0, max: 2 }))
  fc.assert(
    fc.property(fc.array(answer, { minLength: 60, maxLength: 400 }), (answers) => {
      const window = makeRefusalWindow()
      let latest: { mailNo: number; isRefused: boolean }[] = []
      let isRush = false
      for (const [nth, [mailNo, kind]] of answers.entries()) {
        if (nth % 40 === 0) isRush = !isRush
        const isRefused = isRush ? kind > 0 : kind === 2
        latest = [...latest.filter((one) => one.mailNo !== mailNo), { mailNo, isRefused }].slice(-50)
        if (!isRefused) window.taken(`user-${mailNo}`, `${mailNo}@people.example`, NOW)
        else {
          const refused = latest.filter((one) => one.isRefused).map((one) => one.mailNo)
          const takenBack = window.refused(refusalOf(mailNo), NOW)?.map((one) => one.mailNo) ?? null
          expect(takenBack).toEqual(refused.length < 20 ? null : refused)
          if (takenBack) latest = []
        }
      }
    }),
  )
})
