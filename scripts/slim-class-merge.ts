/** Cuts the table of tailwind-merge (ADR 0033) down to the classes of the web app; the rest is three quarters of it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTailwindMerge, getDefaultConfig } from 'tailwind-merge'
import type { Plugin } from 'vite'

const MODULE = /\/tailwind-merge\/dist\/bundle-mjs\.mjs$/

/**
 * Takes the groups of classes out of the library's table that no class of the app is in: these classes merge as they do with all of it.
 * Not in development, where a class may be added while the page is open.
 * @param folder of the app's sources
 * @throws when the library's table is not where it was
 */
export function slimClassMerge(folder: string): Plugin {
  return {
    name: 'slim-class-merge',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!MODULE.test(id)) return null
      const used = usedGroups(classesIn(folder))
      const table = groupsIn(this.parse(code))
      if (table.length < used.size)
        throw new Error('tailwind-merge has changed: its table is not where it was')
      return table
        .filter(({ name }) => !used.has(name))
        .sort((a, b) => b.start - a.start)
        .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end).replace(/^,/, ''), code)
    },
  }
}

/** Every word of the sources that may be a class, as Tailwind looks for them. @param folder of the sources */
export function classesIn(folder: string): string[] {
  const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => !/\.test\.tsx?$/.test(file))
  const words = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split(/[\s"'`]+/))
  return [...new Set(words)].filter((word) => word !== '')
}

/** The names of the groups that these classes are in. */
function usedGroups(classes: readonly string[]): Set<string> {
  const { classGroups } = getDefaultConfig()
  const isKnown = (groups: object) => {
    const config = { ...getDefaultConfig(), cacheSize: 0, classGroups: groups, conflictingClassGroups: {} }
    const merge = createTailwindMerge(() => ({ ...config, conflictingClassGroupModifiers: {} }) as never)
    // A class that it knows is left once.
    return (one: string) => merge(`${one} ${one}`).trim() === one
  }
  // Such as `[color:red]`, which no group has to know.
  const isArbitrary = isKnown({})
  const isClass = isKnown(classGroups)
  const words = classes.filter((one) => isClass(one) && !isArbitrary(one))
  return new Set(
    Object.entries(classGroups)
      .filter(([name, group]) => words.some(isKnown({ [name]: group })))
      .map(([name]) => name),
  )
}

type Group = { name: string; start: number; end: number }
type Node = {
  type?: string
  key?: { name?: string; value?: unknown }
  value?: { properties?: (Node & { start: number; end: number })[] }
}

/** The properties of the one object that stands under `classGroups` in a syntax tree. */
function groupsIn(tree: unknown): Group[] {
  if (typeof tree !== 'object' || tree === null) return []
  const { type, key, value } = tree as Node
  if (type === 'Property' && key?.name === 'classGroups' && value?.properties)
    return value.properties.map(({ key: name, start, end }) => ({
      name: String(name?.name ?? name?.value),
      start,
      end,
    }))
  return Object.values(tree).flatMap(groupsIn)
}
