import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/** Every mail, rendered from the sources as they are: subject, HTML (null of a plain mail) and text by the mail's name. */
export async function readSampleMails(): Promise<
  Record<string, { subject: string; html: string | null; text: string }>
> {
  // Beside the built mails, from where what the bundle leaves outside is found.
  const module = join(root, 'emails/dist', `samples.${process.pid}.mjs`)
  await build({
    entryPoints: [join(root, 'emails/src/samples.ts')],
    outfile: module,
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    packages: 'external',
  })
  const { sampleMails }: typeof import('../../emails/src/samples.ts') = await import(
    pathToFileURL(module).href
  )
  rmSync(module)
  return sampleMails()
}
