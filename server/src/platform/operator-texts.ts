import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from './env.ts'
import type { Log } from './log.ts'

/** Texts that the operator writes (rule G-86, ADR 0042). */
const TEXT_FILES = ['terms.md', 'privacy.md', 'contact.md'] as const
export type TextFile = (typeof TEXT_FILES)[number]

/** The texts that are served where the operator has supplied none. */
const BUILT_IN = join(import.meta.dirname, '../../texts')

/** @returns Markdown: the operator's own text, or the built-in one. @param folder of `TEXTS_DIR`; null without one */
export function readText(folder: string | null, file: TextFile): string {
  return readFileSync(isOwn(folder, file) ? join(folder, file) : join(BUILT_IN, file), 'utf8')
}

/** The terms that are served. @property version changes with every letter @property isOwn whether the operator wrote them: others bind nobody */
export type Terms = { version: string; isOwn: boolean }

const VERSION_LENGTH = 12

/** @param folder of `TEXTS_DIR`; null without one */
export function readTerms(folder: string | null): Terms {
  const text = readText(folder, 'terms.md')
  return {
    version: createHash('sha256').update(text).digest('hex').slice(0, VERSION_LENGTH),
    isOwn: isOwn(folder, 'terms.md'),
  }
}

/**
 * The files that a production lacks: its readers see the built-in texts, which bind nobody. Empty in development, where nobody pays.
 */
export function missingTexts({ NODE_ENV, TEXTS_DIR }: Pick<Env, 'NODE_ENV' | 'TEXTS_DIR'>): TextFile[] {
  if (NODE_ENV !== 'production') return []
  return TEXT_FILES.filter((file) => !isOwn(TEXTS_DIR ?? null, file))
}

/** Once at a start of what serves them. */
export function warnOfMissingTexts(env: Pick<Env, 'NODE_ENV' | 'TEXTS_DIR'>, log: Log): void {
  const missing = missingTexts(env)
  if (missing.length > 0)
    log.warn({ variable: 'TEXTS_DIR', missing }, 'readers see built-in texts: the operator has none of these')
}

function isOwn(folder: string | null, file: TextFile): folder is string {
  return folder !== null && existsSync(join(folder, file))
}
