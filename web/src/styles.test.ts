// @ts-expect-error -- this workspace has the browser's types only; its tests run on Node
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FRAME_COLOURS } from './lib/theme.ts'

type Colour = { l: number; c: number; h: number }

const { dirname } = import.meta as unknown as { dirname: string }
const css: string = readFileSync(`${dirname}/styles.css`, 'utf8')
const themes = { dark: tokensOf(':root'), light: tokensOf('@utility light-theme') }

/** Text and what it stands on. 4.5:1 (WCAG 2.2, 1.4.3). */
const TEXT_PAIRS = [
  ...onSurfaces('foreground', 'background', 'card', 'field', 'muted', 'accent', 'own', 'secondary'),
  ...onSurfaces('muted-foreground', 'background', 'card', 'field', 'muted', 'accent', 'own'),
  ...onSurfaces('primary', 'background', 'card', 'muted', 'accent', 'own'),
  ...onSurfaces('destructive', 'background', 'card', 'field', 'muted', 'accent', 'own', 'destructive-muted'),
  ...onSurfaces('warning', 'warning-muted'),
  ...onSurfaces('card-foreground', 'card'),
  ...onSurfaces('accent-foreground', 'accent'),
  ...onSurfaces('secondary-foreground', 'secondary', 'secondary-hover'),
  ...onSurfaces('action-foreground', 'action', 'action-hover'),
  ...onSurfaces('destructive-foreground', 'destructive', 'destructive-hover'),
]

/** Borders of controls and the focus ring. 3:1 (WCAG 2.2, 1.4.11). */
const CONTROL_PAIRS = [
  ...onSurfaces('input', 'background', 'card', 'field'),
  ...onSurfaces('ring', 'background', 'card', 'muted', 'accent', 'own'),
  ...onSurfaces('action', 'background', 'card', 'muted', 'accent', 'own'),
]

for (const [theme, tokens] of Object.entries(themes)) {
  test.each(TEXT_PAIRS)(`${theme} %s on %s can be read`, (text, surface) => {
    expect(contrast(tokens, text, surface)).toBeGreaterThanOrEqual(4.5)
  })
  test.each(CONTROL_PAIRS)(`${theme} %s on %s can be seen`, (line, surface) => {
    expect(contrast(tokens, line, surface)).toBeGreaterThanOrEqual(3)
  })
}

test.each(['dark', 'light'] as const)('%s monograms can be read in each of the twelve hues', (theme) => {
  const hues = [...css.matchAll(/--hue: (\d+);/g)].map(([, hue]) => Number(hue))
  expect([0, ...hues]).toEqual([0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330])
  for (const h of [0, ...hues]) {
    const hued = new Map([...themes[theme]].map(([name, colour]) => [name, { ...colour, h }]))
    expect(contrast(hued, 'monogram', 'monogram-muted'), `hue ${h}`).toBeGreaterThanOrEqual(4.5)
  }
})

test('both themes define the same colours', () => {
  expect([...themes.light.keys()].sort()).toEqual([...themes.dark.keys()].sort())
})

test('black on white measures 21:1', () => {
  const tokens = new Map([
    ['a', { l: 0, c: 0, h: 0 }],
    ['b', { l: 1, c: 0, h: 0 }],
  ])
  expect(contrast(tokens, 'a', 'b')).toBeCloseTo(21, 3)
})

test('the frame that the browser draws has the colour of the page', () => {
  expect(hex(themes.dark, 'background')).toBe(FRAME_COLOURS.dark)
  expect(hex(themes.light, 'background')).toBe(FRAME_COLOURS.light)
})

function onSurfaces(text: string, ...surfaces: string[]): [string, string][] {
  return surfaces.map((surface) => [text, surface])
}

function tokensOf(selector: string): Map<string, Colour> {
  const block = css.split(`\n${selector} {`)[1]?.split('\n}')[0] ?? ''
  const tokens = new Map<string, Colour>()
  for (const [, name = '', l, c, h] of block.matchAll(/--([a-z-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)/g)) {
    tokens.set(name, { l: Number(l), c: Number(c), h: Number(h) })
  }
  return tokens
}

function contrast(tokens: Map<string, Colour>, a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(tokens, a), luminance(tokens, b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

/** Relative luminance (WCAG 2.2). */
function luminance(tokens: Map<string, Colour>, name: string): number {
  const { red, green, blue } = linear(tokens, name)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** As a screen's `#rrggbb`. */
function hex(tokens: Map<string, Colour>, name: string): string {
  const channel = (value: number) => {
    const curved = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
    return Math.round(255 * curved)
      .toString(16)
      .padStart(2, '0')
  }
  const { red, green, blue } = linear(tokens, name)
  return `#${channel(red)}${channel(green)}${channel(blue)}`
}

/** Linear sRGB through OKLab (Björn Ottosson's matrices), clipped to the screen's gamut. */
function linear(tokens: Map<string, Colour>, name: string): { red: number; green: number; blue: number } {
  const colour = tokens.get(name)
  if (!colour) throw new Error(`No colour --${name}`)
  const { l: lightness, c, h } = colour
  const a = c * Math.cos((h * Math.PI) / 180)
  const b = c * Math.sin((h * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  return {
    red: clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    green: clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    blue: clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  }
}
