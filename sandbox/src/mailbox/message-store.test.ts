import { expect, test } from 'vitest'
import { makeMessageStore } from './message-store.ts'

const NOW = new Date('2026-11-18T15:00:00.000Z')
const CONTENT = { from: 'a@a.example', subject: 's', text: 't', html: '', headers: {} }

test('the oldest messages make room when there are too many', () => {
  const store = makeMessageStore({ messages: 3, bytes: 1000 })
  store.add(CONTENT, ['1@x', '2@x'], 10, NOW)
  store.add(CONTENT, ['3@x', '4@x'], 10, NOW)
  expect(store.list().map(({ to }) => to)).toEqual(['4@x', '3@x', '2@x'])
  expect(store.find('1')).toBeNull()
  expect(store.find('2')?.to).toBe('2@x')
  expect(store.find('5')).toBeNull()
})

test('the oldest messages make room when there are too many bytes, and one too large leaves nothing behind', () => {
  const store = makeMessageStore({ messages: 100, bytes: 100 })
  store.add(CONTENT, ['1@x'], 60, NOW)
  store.add(CONTENT, ['2@x'], 60, NOW)
  expect(store.list().map(({ id }) => id)).toEqual(['2'])
  store.add(CONTENT, ['3@x'], 101, NOW)
  expect(store.list()).toEqual([])
  store.add(CONTENT, ['4@x'], 100, NOW)
  expect(store.list().map(({ id }) => id)).toEqual(['4'])
})
