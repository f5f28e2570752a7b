import { expect, test } from 'vitest'
import { HOLD_LENGTHS } from '../contract/src/hold-length.ts'
import { publicAt } from '../contract/src/kept-plan.ts'
import { publicFrom } from '../record/src/hold-days.ts'

test('an auditor of the record and the product agree when a position is past its plan', () => {
  const openedAt = new Date('2026-11-26T15:02:03.120Z')
  const days = HOLD_LENGTHS.map((holdLength, place) => {
    const at = publicFrom({ at: openedAt.getTime(), hold: place + 1 })
    expect(new Date(at)).toEqual(publicAt({ openedAt, holdLength }))
    return (at - openedAt.getTime()) / 86_400_000
  })
  expect(days).toEqual([8, 22, 93, 185, 366])
})
