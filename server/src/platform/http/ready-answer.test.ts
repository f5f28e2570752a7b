import { expect, test } from 'vitest'
import { RELEASE } from '../release.ts'
import { entityTag } from './entity-tag.ts'
import { ReadyAnswer } from './ready-answer.ts'

test('the tag of an answer that is put together is that of its parts, their order and the release, and nothing is put together for it', () => {
  let written = 0
  const write = () => {
    written += 1
    return '{"parts":[1,2]}'
  }
  const answer = ReadyAnswer.ofParts(['one', 'two'], write)
  expect(answer.tag).toBe(entityTag(`${RELEASE} one two`))
  expect(ReadyAnswer.ofParts(['two', 'one'], write).tag).not.toBe(answer.tag)
  expect(written).toBe(0)
  expect(answer.json).toBe('{"parts":[1,2]}')
  expect(new ReadyAnswer('{"parts":', '[1,2]}').tag).toBe(entityTag('{"parts":[1,2]}'))
})
