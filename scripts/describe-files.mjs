/** How a changed file is detected without reading it. Plain JavaScript, since `ready.mjs` runs on whatever Node is there. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'

/** Where a build leaves what it looked at: `paths`, and `files` as `describeFiles` gave it before it read them. */
export const BUILT = '.cache/built.json'

/**
 * Of each path its size, its number on the disk and when it was changed last, which nobody can set. A folder changes with the names in it.
 * @param {string} root
 * @param {readonly string[]} paths from the root
 * @returns {string}
 * @throws when one is not there
 */
export function describeFiles(root, paths) {
  return paths.map((path) => describe(join(root, path))).join('\n')
}

/** @param {string} path */
function describe(path) {
  const { ctimeNs, ino, size } = lstatSync(path, { bigint: true })
  return `${ino} ${size} ${ctimeNs}`
}
