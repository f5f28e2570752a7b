const HUES = 12
/** A prime for the hash and one for its size: no two common names fall together more often than by chance. */
const FACTOR = 131
const SIZE = 65_521
const START = 7

/**
 * In which of twelve hues a username's letters stand, so that people tell traders apart at a glance: the same however the name is
 * spelled (rule G-20).
 * @returns 0 to 11, as `data-hue` of the style sheet takes it
 */
export function hueOf(name: string): number {
  return (
    [...name.toLowerCase()].reduce((hash, letter) => (hash * FACTOR + letter.charCodeAt(0)) % SIZE, START) %
    HUES
  )
}
