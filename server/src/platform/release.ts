import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
/** The code that makes answers. */
const SOURCES = ['contract/src', 'server/src']

/** The version of the product, as in CHANGELOG.md. */
export const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string })
  .version

/**
 * Names the release that this process runs, the same in every process of it: a hash of its sources. Another one may put an answer together
 * of the same parts in another way.
 */
export const RELEASE = nameRelease()

function nameRelease(): string {
  const hash = createHash('sha256')
  for (const folder of SOURCES)
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (file.endsWith('.ts') && !file.endsWith('.test.ts'))
        hash.update(file).update(readFileSync(join(ROOT, folder, file)))
  return hash.digest('base64url')
}
