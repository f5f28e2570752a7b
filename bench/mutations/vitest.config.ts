/** The project's own configuration in a copy of it, with the changes of a run of mutants; vitest-session.ts sets the variables. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const tree = process.env.MUTATION_TREE ?? process.cwd()
const isolate = process.env.MUTATION_ISOLATE === 'yes'
const { default: own } = (await import(pathToFileURL(join(tree, 'vitest.config.ts')).href)) as {
  default: ViteUserConfig
}

/** Shorter than the project's: a run waits often for an event that a mutant keeps from ever coming. Code as it is has its own. */
const limits = { testTimeout: 60_000, hookTimeout: 90_000, expect: { poll: { timeout: 30_000 } } }

type Project = { test: { name: string; root: string } }
const projects = (own.test?.projects ?? []) as Project[]

export default defineConfig({
  root: tree,
  test: {
    ...own.test,
    maxWorkers: 2,
    projects: projects.map(({ test }) => ({
      test: { ...test, ...(isolate ? { isolate } : limits), root: join(tree, test.root) },
    })),
  },
})
