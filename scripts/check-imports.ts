/**
 * Holds every import to scripts/layers.ts, in one run over all sources: `node scripts/check-imports.ts [root]`. Exit 1 names
 * what is wrong: refused imports, folders and workspaces without a place, circles.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCircles, type ImportGraph, readImportGraph } from './import-graph.ts'
import { LAYERS, TEST_FOLDERS, WORKSPACES } from './layers.ts'

/** Everything that is wrong with the imports of a repository, one line each. */
export function findImportFaults(root: string): string[] {
  const graph = readImportGraph(root)
  return [
    ...graph.violations.map(({ rule, from, to }) => `${rule}: ${from} imports ${to}`),
    ...findUnplaced(root),
    ...judgeCircles(graph.files),
  ]
}

/** Workspaces and folders that scripts/layers.ts does not name, and names of it that are no folder. */
function findUnplaced(root: string): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces: string[]
  }
  const placed: [where: string, found: string[], named: readonly string[]][] = [
    ['package.json', workspaces, Object.keys(WORKSPACES)],
    ...Object.entries(LAYERS).map(([where, layers]): [string, string[], string[]] => [
      where,
      foldersOf(root, where, layers.flat()),
      layers.flat(),
    ]),
  ]
  return placed.flatMap(([where, found, named]) => [
    ...found.filter((name) => !named.includes(name)).map((name) => `no-layer: ${where}/${name}`),
    ...named.filter((name) => !found.includes(name)).map((name) => `no-folder: ${where}/${name}`),
  ])
}

/** @param named a folder that is named by its parts is found as those, and as itself when it holds a file */
function foldersOf(root: string, where: string, named: readonly string[]): string[] {
  return readdirSync(join(root, where), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !TEST_FOLDERS.includes(`${where}/${entry.name}`))
    .flatMap(({ name }) => {
      if (!named.some((other) => other.startsWith(`${name}/`))) return [name]
      return readdirSync(join(root, where, name), { withFileTypes: true }).map((entry) =>
        entry.isDirectory() ? `${name}/${entry.name}` : name,
      )
    })
}

/** @returns a fault for each circle of imports, also for one that a type alone closes */
function judgeCircles(files: ImportGraph['files']): string[] {
  const valuesOnly = new Map(
    [...files].map(([file, imports]) => [file, imports.filter(({ isType }) => !isType)]),
  )
  const atRunTime = findCircles(valuesOnly).map((circle) => circle.join(' '))
  const found = findCircles(files).map((circle) => circle.join(' '))
  return [
    ...atRunTime.map((circle) => `circle: ${circle}`),
    ...found.filter((circle) => !atRunTime.includes(circle)).map((circle) => `circle-of-types: ${circle}`),
  ]
}

if (import.meta.main) {
  const faults = findImportFaults(process.argv[2] ?? join(import.meta.dirname, '..'))
  for (const fault of faults) console.error(fault)
  process.exit(faults.length === 0 ? 0 : 1)
}
