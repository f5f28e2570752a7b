import { expect, test } from 'vitest'
import { makeAlikeRefusals } from './alike-refusals.ts'

const GONE = { replyCode: 550, status: '5.1.1' }
const FULL = { replyCode: 552, status: '5.2.2' }

function at(minutes: number): Date {
  return new Date(Date.UTC(2026, 2, 4, 15, minutes))
}

function first(name: string, domain: string, reply = GONE, isOld = false) {
  const refusal = { traderId: 'trader', eventNo: 1, mailNo: 1, userId: name }
  return { refusal, address: `${name}@${domain}`, reply, isOld }
}

test('the third in a row who is refused alike is not meant, and what was held against the two before is taken back', () => {
  const alike = makeAlikeRefusals()
  expect(alike.refused(first('a', 'one.example'), at(0))).toBeNull()
  expect(alike.refused(first('b', 'two.example'), at(1))).toBeNull()
  const third = alike.refused(first('c', 'three.example'), at(2))
  expect(third?.since).toEqual(at(0))
  expect(third?.takenBack.map(({ userId }) => userId)).toEqual(['a', 'b'])
  expect(alike.refused(first('d', 'four.example'), at(3))).toEqual({ since: at(0), takenBack: [] })
  expect(alike.since('anybody@five.example', at(3))).toEqual(at(0))
})

test('one person who is refused three times is one person', () => {
  const alike = makeAlikeRefusals()
  for (const minute of [0, 1, 2]) expect(alike.refused(first('a', 'one.example'), at(minute))).toBeNull()
})

test('three people who are refused in different words are meant each by themselves', () => {
  const alike = makeAlikeRefusals()
  expect(alike.refused(first('a', 'one.example'), at(0))).toBeNull()
  expect(alike.refused(first('b', 'one.example', FULL), at(0))).toBeNull()
  expect(alike.refused(first('c', 'one.example'), at(0))).toBeNull()
})

test('three people at one provider are not meant, though others are mailed between them, until it takes a mail', () => {
  const alike = makeAlikeRefusals()
  for (const name of ['a', 'b']) {
    expect(alike.refused(first(name, 'Provider.example'), at(0))).toBeNull()
    alike.taken('somebody@other.example')
  }
  expect(alike.refused(first('c', 'provider.example'), at(5))?.takenBack).toHaveLength(2)
  expect(alike.since('d@provider.example', at(6))).toEqual(at(0))
  expect(alike.since('d@other.example', at(6))).toBeNull()
  alike.taken('e@PROVIDER.example')
  expect(alike.since('d@provider.example', at(6))).toBeNull()
  expect(alike.refused(first('f', 'provider.example'), at(7))).toBeNull()
})

test('answers that others have followed speak of their provider alone', () => {
  const alike = makeAlikeRefusals()
  for (const name of ['a', 'b', 'c'])
    expect(alike.refused(first(name, `${name}.example`, GONE, true), at(0))).toBeNull()
  for (const name of ['d', 'e'])
    expect(alike.refused(first(name, 'one.example', GONE, true), at(0))).toBeNull()
  expect(alike.refused(first('f', 'one.example', GONE, true), at(0))?.takenBack).toHaveLength(2)
  expect(alike.since('x@two.example', at(0))).toBeNull()
})

test('after a day without a mail that is taken, each is meant again', () => {
  const alike = makeAlikeRefusals()
  for (const name of ['a', 'b', 'c']) alike.refused(first(name, 'one.example'), at(0))
  expect(alike.since('c@one.example', at(24 * 60 - 1))).toEqual(at(0))
  expect(alike.since('c@one.example', at(24 * 60))).toBeNull()
  expect(alike.refused(first('d', 'one.example'), at(24 * 60))).toBeNull()
})

test('a thousand domains are remembered, and the one that was quiet for longest is forgotten', () => {
  const alike = makeAlikeRefusals()
  for (const name of ['a', 'b', 'c']) alike.refused(first(name, 'old.example', FULL), at(0))
  for (let domain = 0; domain < 998; domain += 1) {
    alike.refused(first('x', `${domain}.example`), at(1))
    alike.taken('y@elsewhere.example')
  }
  expect(alike.since('c@old.example', at(2))).toEqual(at(0))
  alike.refused(first('x', 'another.example'), at(3))
  expect(alike.since('c@old.example', at(4))).toBeNull()
})
