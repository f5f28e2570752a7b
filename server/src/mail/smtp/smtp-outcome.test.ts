import { expect, test } from 'vitest'
import { readSmtpFault, SmtpLost, type SmtpRefusal } from './smtp-outcome.ts'

type Stage = 'CONN' | 'AUTH PLAIN' | 'MAIL FROM' | 'RCPT TO' | 'DATA' | 'message'

/** As the mail library reports a reply. */
function fault(stage: Stage, response: string) {
  return Object.assign(new Error(response), {
    command: stage === 'message' ? 'DATA' : stage,
    code: stage === 'message' ? 'EMESSAGE' : stage === 'CONN' ? 'EPROTOCOL' : 'EENVELOPE',
    responseCode: Number(response.slice(0, 3)),
    response,
  })
}

test.each<[Stage, string, SmtpRefusal['about']]>([
  ['RCPT TO', '550 5.1.1 no such user', 'address'],
  ['RCPT TO', '550 5.1.2 no such host', 'address'],
  ['RCPT TO', '501 5.1.3 bad address', 'address'],
  ['RCPT TO', '551 5.1.6 moved', 'address'],
  ['RCPT TO', '556 5.1.10 null MX', 'address'],
  ['RCPT TO', '550-5.1.1 no such\n550 5.1.1 user', 'address'],
  ['RCPT TO', '550 5.1.0 something about an address', 'recipient'],
  ['RCPT TO', '550 5.1.11 not on the list', 'recipient'],
  ['RCPT TO', '550 5.2.1 mailbox disabled', 'recipient'],
  ['RCPT TO', '550 no such user', 'recipient'],
  ['RCPT TO', '503 bad sequence', 'recipient'],
  ['RCPT TO', '554 5.7.1 client host blocked', 'policy'],
  ['RCPT TO', '530 5.7.0 authentication required', 'policy'],
  ['message', '554 5.7.26 unauthenticated mail', 'policy'],
  ['message', '554 looks like spam', 'recipient'],
  ['message', '550 5.1.1 no such user', 'recipient'],
  ['RCPT TO', '550 5.1.8 bad sender address', 'policy'],
  ['RCPT TO', '550 5.4.5 too much for today', 'policy'],
  ['RCPT TO', '554 5.5.3 too many at once', 'policy'],
  ['RCPT TO', '550 5.1.1 your account has exceeded its daily sending quota', 'policy'],
  ['RCPT TO', '550 too many messages from your network', 'policy'],
  ['message', '554 the sending rate is exceeded: rate limit', 'policy'],
  ['RCPT TO', '552 5.2.2 the mailbox is over quota', 'recipient'],
  ['RCPT TO', '550 5.0.0 Unrouteable address', 'address'],
  ['RCPT TO', '550 5.0.0 no', 'recipient'],
  ['MAIL FROM', '550 5.7.1 blocked', 'sender'],
  ['MAIL FROM', '550 5.1.1 who are you', 'sender'],
  ['DATA', '554 5.1.1 no valid recipients', 'policy'],
])('a refusal at %s with "%s" speaks of %s', (stage, response, about) => {
  expect(readSmtpFault(fault(stage, response))).toMatchObject({
    kind: 'refused',
    about,
    read: stage === 'message',
  })
})

test.each<[Stage, string]>([
  ['CONN', '554 5.7.1 blocked'],
  ['AUTH PLAIN', '535 5.7.8 wrong password'],
])('a refusal at %s loses the connection and speaks of us', (stage, response) => {
  const lost = readSmtpFault(fault(stage, response))
  expect(lost).toBeInstanceOf(SmtpLost)
  expect(lost).toMatchObject({ unexplained: false, refusal: { about: 'sender' } })
  expect((lost as SmtpLost).message).not.toMatch(/blocked|wrong/)
})

test.each<[Stage, string]>([
  ['RCPT TO', '450 4.2.1 busy'],
  ['DATA', '451 4.3.0 later'],
  ['message', '452 4.2.2 full'],
])('"for now" at %s defers that one mail', (stage, response) => {
  expect(readSmtpFault(fault(stage, response))).toEqual({
    kind: 'deferred',
    replyCode: Number(response.slice(0, 3)),
  })
})

test.each<[Stage, string]>([
  ['RCPT TO', '421 4.3.2 closing'],
  ['message', '421 4.3.2 closing'],
  ['MAIL FROM', '451 4.3.0 later'],
  ['CONN', '450 4.3.2 later'],
])('"for now" at %s with "%s" is the connection\'s, and no recipient waits for it', (stage, response) => {
  expect(readSmtpFault(fault(stage, response))).toMatchObject({ name: 'SmtpLost', refusal: null })
})
