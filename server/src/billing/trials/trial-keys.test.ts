import { expect, test } from 'vitest'
import { personalAddress } from './trial-keys.ts'

test.each([
  ['jane.doe@gmail.com', 'janedoe@gmail.com'],
  ['J.a.n.e.D.o.e+trial@GoogleMail.com', 'janedoe@gmail.com'],
  ['janedoe+a+b@gmail.com', 'janedoe@gmail.com'],
  ['jane.doe@firm.example', 'janedoe@firm.example'],
  ['jane-doe@firm.example', 'jane-doe@firm.example'],
  ['+tag@firm.example', '+tag@firm.example'],
  ['a.b+c@sub.gmail.com', 'ab@sub.gmail.com'],
])('the address %s is that of %s', (email, person) => {
  expect(personalAddress(email)).toBe(person)
})
