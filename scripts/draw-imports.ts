/**
 * `node scripts/draw-imports.ts`: diagrams of imports by folder, as Mermaid. Tests are left out, and the
 * server's arrows to `platform`, which every folder has.
 */
import { join } from 'node:path'
import { type ImportGraph, readImportGraph } from './import-graph.ts'
import { LAYERS, TEST } from './layers.ts'

/**
 * @param where a root of LAYERS, such as `web/src`
 * @param leftOut a folder that no arrow is to lead to
 * @returns an arrow a line, sorted; a folder without any stands alone
 */
export function drawImports(files: ImportGraph['files'], where: string, leftOut: string | null): string[] {
  const folders = (LAYERS[where] ?? []).flat().filter((folder) => folder !== leftOut)
  const test = new RegExp(TEST)
  const folderOf = (path: string) => folders.find((folder) => path.startsWith(`${where}/${folder}/`))
  const arrows = new Set<string>()
  const alone = new Set(folders)
  for (const [path, imports] of files) {
    const from = test.test(path) ? undefined : folderOf(path)
    for (const to of imports.map((each) => folderOf(each.to))) {
      if (from === undefined || to === undefined || from === to) continue
      arrows.add(`${from} --> ${to}`)
      alone.delete(from)
      alone.delete(to)
    }
  }
  return [...arrows, ...alone].sort()
}

if (import.meta.main) {
  const { files } = readImportGraph(join(import.meta.dirname, '..'))
  for (const [where, leftOut] of [
    ['server/src', 'platform'],
    ['web/src', null],
  ] as const) {
    console.log('```mermaid\nflowchart TD')
    for (const line of drawImports(files, where, leftOut)) console.log(`  ${line}`)
    console.log('```\n')
  }
}
