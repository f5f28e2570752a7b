import { expect, test } from 'vitest'
import { dark, light } from './palette.ts'

test.each(Object.entries({ light, dark }))(
  'every pair of %s colours has a contrast of 4.5 to 1',
  (_, colours) => {
    for (const [ink, ground] of [
      [colours.ink, colours.card],
      [colours.ink, colours.page],
      [colours.muted, colours.card],
      [colours.muted, colours.page],
      [colours.accent, colours.card],
      [colours.loss, colours.card],
      [colours.card, colours.ink],
    ] as const)
      expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5)
  },
)

/** WCAG 2.2, contrast ratio, of two `#rrggbb`. */
function contrast(one: string, other: string): number {
  const [dim = 0, bright = 0] = [one, other].map(luminance).sort((a, b) => a - b)
  return (bright + 0.05) / (dim + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
