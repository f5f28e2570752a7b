import type { ReactElement } from 'react'

/**
 * The nodes that a component draws between other elements: elements only, no bare text. A browser's translator
 * would take it from under React (scripts/bare-text.ts).
 */
export type Elements = ReactElement | boolean | null | undefined | readonly Elements[]
