import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { areas } from './scripts/acceptance-list.ts'
import { patientForks } from './scripts/patient-pool.ts'

// Limits for what never comes, not measures of speed: a slow machine passes too.
const shared = {
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  expect: { poll: { timeout: 120_000 } },
  pool: patientForks,
  // Every file has its own world; loading all modules again for each took a sixth of the run.
  isolate: false,
}

// The acceptance ids that tests carry; a tag that is none of them fails its file.
const tags = areas.flatMap(([, statements]) =>
  statements.map(([name, , description]) => ({ name, description })),
)

const START = 'src/document/start.test.ts'
const web = {
  ...shared,
  root: 'web',
  environment: 'jsdom',
  setupFiles: [join(import.meta.dirname, 'web/src/test-setup.ts')],
}

export default defineConfig({
  test: {
    tags,
    // The tests of the server wait for PostgreSQL and other processes more than they work.
    maxWorkers: 4,
    teardownTimeout: 60_000,
    projects: [
      { test: { ...shared, name: 'contract', root: 'contract' } },
      { test: { ...shared, name: 'record', root: 'record' } },
      { test: { ...shared, name: 'emails', root: 'emails' } },
      { test: { ...shared, name: 'sandbox', root: 'sandbox' } },
      { test: { ...shared, name: 'server', root: 'server', globalSetup: ['test/global-setup.ts'] } },
      { test: { ...web, name: 'web', exclude: [START] } },
      // It gives the page listeners that nothing takes away again.
      { test: { ...web, name: 'web start', include: [START], isolate: true } },
      { test: { ...shared, name: 'scripts', root: 'scripts' } },
    ],
  },
})
