import { expect, test } from 'vitest'
import { hueOf } from './name-hue.ts'

test('a name has the same hue however it is spelled', () => {
  expect(hueOf('Maria')).toBe(hueOf('mARIA'))
})

test('names are distributed over all twelve hues', () => {
  const hues = Array.from({ length: 600 }, (_, index) => hueOf(`trader-${index}`))
  for (let hue = 0; hue < 12; hue += 1) {
    expect(hues.filter((each) => each === hue).length, `hue ${hue}`).toBeGreaterThan(25)
  }
  expect(Math.max(...hues)).toBe(11)
})
