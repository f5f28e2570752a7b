import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmptyMonthScenario } from '../../../test/money/empty-month-scenario.ts'
import { STORIES } from '../../../test/money/empty-month-stories.ts'
import { playStories } from '../../../test/money/play-stories.ts'

const scenario = await startEmptyMonthScenario()
afterAll(() => scenario[Symbol.asyncDispose]())

let ends: Awaited<ReturnType<typeof playStories>>
beforeAll(async () => {
  ends = await playStories(scenario, STORIES)
}, 900_000)

test.each(STORIES.map(({ back, has, title, told }) => ({ title, back, has, told: told ?? [] })))(
  'of a paid month so much comes back: $title',
  ({ back, has, title, told }) => {
    expect(ends.get(title)).toEqual({ back, has, told })
  },
)

test('not a cent is missing behind all of it', () => scenario.checkCents())
