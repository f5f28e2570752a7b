import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Limits for what never comes, not measures of speed: a slow machine passes too.
const shared = {
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  // Every file has its own world; loading all modules anew for each took a sixth of the run.
  isolate: false,
}

export default defineConfig({
  test: {
    // The tests of the server wait for PostgreSQL and other processes more than they work.
    maxWorkers: 2,
    projects: [
      { test: { ...shared, name: 'contract', root: 'contract' } },
      { test: { ...shared, name: 'emails', root: 'emails' } },
      { test: { ...shared, name: 'sandbox', root: 'sandbox' } },
      { test: { ...shared, name: 'server', root: 'server', globalSetup: ['test/global-setup.ts'] } },
      {
        test: {
          ...shared,
          name: 'web',
          root: 'web',
          environment: 'jsdom',
          setupFiles: [join(import.meta.dirname, 'web/src/test-setup.ts')],
        },
      },
      { test: { ...shared, name: 'scripts', root: 'scripts' } },
    ],
  },
})
