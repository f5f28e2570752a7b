import { expect, test } from 'vitest'
import { sumUp } from './outcome.ts'

const CHECKS = { passed: 1, failed: 0, failures: [] }

test('the last line counts, and a run without a failure is a success', () => {
  expect(sumUp([CHECKS, { passed: 40, failed: 0, failures: [] }])).toEqual({
    words: '\n41 passed, 0 failed',
    succeeded: true,
  })
  expect(sumUp([])).toEqual({ words: '\n0 passed, 0 failed', succeeded: false })
})

test('what failed and what could not be run is named at the end, and neither is a success', () => {
  const broken = { passed: 39, failed: 1, failures: ['web/src/app.test.tsx › it opens'] }
  const missing = { count: 280, words: '280 browser journeys, in 2 files: e2e/a.spec.ts e2e/b.spec.ts' }
  const journeys = { passed: 0, failed: 0, failures: [], missing }
  expect(sumUp([CHECKS, journeys])).toEqual({
    words: `
── not run
280 browser journeys, in 2 files: e2e/a.spec.ts e2e/b.spec.ts

1 passed, 0 failed, 280 skipped`,
    succeeded: false,
  })
  expect(sumUp([CHECKS, broken, journeys])).toEqual({
    words: `
── failed
web/src/app.test.tsx › it opens

── not run
280 browser journeys, in 2 files: e2e/a.spec.ts e2e/b.spec.ts

40 passed, 1 failed, 280 skipped`,
    succeeded: false,
  })
})

test('a browser that a machine may be without is named, and the rest is a success', () => {
  const journeys = {
    passed: 303,
    failed: 0,
    failures: [],
    lacking: ['The main journey in WebKit: it is not here.'],
  }
  expect(sumUp([CHECKS, journeys])).toEqual({
    words: `
── not run
The main journey in WebKit: it is not here.

304 passed, 0 failed`,
    succeeded: true,
  })
})
