import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Where the product's sources are, and then those that are not shipped, in every copy of the repository. */
const SOURCES = [
  ...['contract/src', 'record/src', 'record/programs', 'emails/src', 'server/src', 'web/src', 'sandbox/src'],
  ...['server/test', 'bench', 'e2e', 'scripts'],
]

/** An import of the graph, by paths from the root; `isType` when nothing of it is left at run time. */
type Import = { to: string; isType: boolean }
export type ImportGraph = {
  /** Our own files, each with its imports of our own files. */
  files: Map<string, Import[]>
  /** Imports that a rule of scripts/layers.ts refuses. */
  violations: { rule: string; from: string; to: string }[]
}

type Report = {
  modules: { source: string; dependencies: { resolved: string; dependencyTypes: string[] }[] }[]
  summary: { violations: { rule: { name: string }; from: string; to: string }[] }
}

/**
 * Reads every import of the product's sources, once.
 * @param root of the repository, or of a copy of it
 * @throws when dependency-cruiser prints anything but a report
 */
export function readImportGraph(root: string): ImportGraph {
  const run = spawnSync(
    join(root, 'node_modules/.bin/depcruise'),
    ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...SOURCES],
    { cwd: root, encoding: 'utf8', maxBuffer: 200 * 1024 * 1024 },
  )
  if (!run.stdout.startsWith('{')) throw new Error(`dependency-cruiser: ${run.stderr}${run.stdout}`)
  const { modules, summary } = JSON.parse(run.stdout) as Report
  const own = modules.filter(({ source }) => /^(contract|record|emails|server|web|sandbox)\//.test(source))
  const names = new Set(own.map(({ source }) => source))
  const files = new Map(
    own.map(({ source, dependencies }) => [
      source,
      dependencies
        .filter(({ resolved }) => names.has(resolved))
        .map(({ resolved, dependencyTypes }) => ({
          to: resolved,
          isType: dependencyTypes.includes('type-only'),
        })),
    ]),
  )
  return {
    files,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  }
}

/**
 * Groups of files that reach each other by imports, types included (Tarjan's strongly connected components).
 * @returns each group sorted, and the groups by their first file
 */
export function findCircles(files: ImportGraph['files']): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const lowOf = (file: string) => low.get(file) ?? 0
  function visit(file: string): void {
    index.set(file, index.size)
    low.set(file, index.size - 1)
    stack.push(file)
    for (const { to } of files.get(file) ?? []) {
      if (!index.has(to)) visit(to)
      if (stack.includes(to)) low.set(file, Math.min(lowOf(file), lowOf(to)))
    }
    if (lowOf(file) !== index.get(file)) return
    const group = stack.splice(stack.indexOf(file)).sort()
    if (group.length > 1) circles.push(group)
  }
  for (const file of [...files.keys()].sort()) if (!index.has(file)) visit(file)
  return circles.sort()
}
