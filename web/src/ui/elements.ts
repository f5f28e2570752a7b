import type { ReactElement } from 'react'

/**
 * What a component draws between other things: elements, and no text, which would stand there bare. A translator of a browser
 * would take it from under React (scripts/bare-text.ts).
 */
export type Elements = ReactElement | boolean | null | undefined | readonly Elements[]
