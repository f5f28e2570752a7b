import { expect, test } from 'vitest'
import { noteWayBack, takeWayBack } from './way-back.ts'

test('the way back is the one noted last, and is taken once', () => {
  expect(takeWayBack()).toBeNull()
  noteWayBack('/trade')
  noteWayBack('/')
  expect(takeWayBack()).toBe('/')
  expect(takeWayBack()).toBeNull()
  noteWayBack('/trade')
  expect(takeWayBack()).toBe('/trade')
})
