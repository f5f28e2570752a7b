import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** The folder that a built module takes for its own, and the files that it names from there. */
function placesOf(workspace: string): string[] {
  const folder = join(root, workspace, 'dist')
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const found = texts.flatMap((text) => [
    ...text.matchAll(/import\.meta\.dirname \+ "([^"]+)"\)?(?:, "([^"]+)")?/g),
    ...text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g),
  ])
  return found.map(([, place = '', file = '']) => join(folder, place, file)).sort()
}

test('a built server finds its files where its sources have them, and starts the built sandbox', () => {
  const places = [...placesOf('server'), ...placesOf('sandbox')].map((place) => place.slice(root.length + 1))
  expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([])
  expect(places).toEqual(
    expect.arrayContaining([
      'server/migrations',
      'server/texts',
      'server/src/public-pages/render-picture.ts',
      'web/dist',
      'sandbox/dist/main.js',
      'server/src/mail/report-formats/report-parser.ts',
    ]),
  )
})
