import { join } from 'node:path'
import { twMerge } from 'tailwind-merge'
import { build, type Plugin } from 'vite'
import { expect, test } from 'vitest'
import { classesIn, slimClassMerge } from './slim-class-merge.ts'

const sources = join(import.meta.dirname, '../web/src')

/** The library as the web app is built with it, and its length. */
async function bundle(plugins: Plugin[]): Promise<{ merge: typeof twMerge; length: number }> {
  const entry: Plugin = {
    name: 'entry',
    resolveId: (id) => (id === 'entry.ts' ? join(sources, 'entry.ts') : null),
    load: (id) =>
      id === join(sources, 'entry.ts')
        ? "import { twMerge } from 'tailwind-merge'; globalThis.builtMerge = twMerge"
        : null,
  }
  const result = await build({
    root: join(sources, '..'),
    configFile: false,
    logLevel: 'silent',
    plugins: [entry, ...plugins],
    build: { write: false, rolldownOptions: { input: 'entry.ts' } },
  })
  if (!('output' in result)) throw new Error('nothing was built')
  const { code } = result.output[0]
  await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return { merge: Reflect.get(globalThis, 'builtMerge'), length: code.length }
}

test('of the table of classes the app loads what it has classes of, and these merge as with all of it', async () => {
  const [whole, slim] = [await bundle([]), await bundle([slimClassMerge(sources)])]
  expect(slim.length).toBeLessThan(whole.length - 8000)
  // Each class of the app beside those that are spelled nearly alike, either way round, and beside some of all others. A prefix before a
  // colon decides nothing.
  const classes = classesIn(sources)
    .filter((one) => !one.includes(':') && twMerge(`${one} ${one}`) === one)
    .sort()
  expect(classes.length).toBeGreaterThan(400)
  const differing = classes
    .flatMap((one, at) =>
      classes.flatMap((other, place) =>
        Math.abs(at - place) <= 15 || (at + place) % 23 === 0 ? [`${one} ${other}`] : [],
      ),
    )
    .filter((both) => slim.merge(both) !== twMerge(both))
  expect(differing).toEqual([])
  // It is the whole table no more: these two are of a group that the app has no class of.
  expect([twMerge('blur-sm blur-lg'), slim.merge('blur-sm blur-lg')]).toEqual(['blur-lg', 'blur-sm blur-lg'])
})

test('a library whose table is elsewhere stops the build', async () => {
  const moved: Plugin = {
    name: 'moved',
    enforce: 'pre',
    transform: (code, id) =>
      id.includes('/tailwind-merge/') ? code.replaceAll('classGroups', 'groupsOfClasses') : null,
  }
  await expect(bundle([moved, slimClassMerge(sources)])).rejects.toThrow('its table is not where it was')
})
