/** Turns `emails/src/*.tsx` into one module for the server. Takes milliseconds, so tests build it every time. */
import { join } from 'node:path'
import { buildRendering } from './build-rendering.ts'

const emails = join(import.meta.dirname, '../emails')

await buildRendering(join(emails, 'src/render.tsx'), join(emails, 'dist/render.js'))
