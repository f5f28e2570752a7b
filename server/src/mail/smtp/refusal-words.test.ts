import { expect, test } from 'vitest'
import { whomWordsConcern } from './refusal-words.ts'

const ADDRESS = [
  'Unrouteable address',
  '550 5.1.1 <ann@gone.example>: Recipient address rejected: User unknown in local recipient table',
  'smtp; 550 No Such User Here"',
  "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550 5.1.1 unnecessary spaces. https://support.example/mail/?p=rate-limit",
  '550-5.1.1 The email account that you tried to reach does\n550-5.1.1 not exist.',
  '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [x.prod.protection.example]',
  "554 delivery error: dd This user doesn't have a mail.example account (ann@mail.example) [0]",
  '554 delivery error: dd This user doesn’t have a mail.example account',
  'Sorry, no mailbox here by that name. (#5.1.1)',
  'Not delivering to previously bounced address',
  '550 Requested action not taken: mailbox not found',
  '550 5.1.1 unknown recipient',
  "Invalid Recipient - no customer's",
  '550 Empfänger existiert nicht',
  '550 5.1.1 Utilisateur inconnu',
  '550 用户不存在',
  '550 5.1.1 <rate-limit.blacklist@x.example> user unknown',
]
const RECIPIENT = [
  '552 5.2.2 Mailbox full',
  '552 Requested mail action aborted: exceeded storage allocation',
  '552-5.2.2 The email account that you tried to reach is over quota. Please direct\n552 5.2.2 the recipient to another place',
  "452 4.2.2 The recipient's inbox is out of storage space",
  "maildir delivery failed: Sorry, the user's maildir is full: maildir over quota",
  '552 5.2.2 <ann@x.example>: Quota exceeded (mailbox for user is full)',
  '550 5.2.1 The email account that you tried to reach is disabled',
  '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
  '522 5.2.2 mailbox of ann is over its quota',
  'mail-dir: Disk quota exceeded',
  '550 5.2.0 The recipient has exceeded their quota',
  'Postfach ist voll',
  '552 5.2.2 メールボックスがいっぱいです',
  'The message could not be delivered: not authorized to send to the recipient',
]
const US = [
  '550 5.4.5 Daily user sending limit exceeded',
  '454 Throttling failure: Daily message quota exceeded.',
  '554 Throttling failure: Maximum sending rate exceeded',
  'daily sending quota exceeded',
  'User ann has exceeded their daily sending quota',
  '550 too many messages from you this hour',
  '550 You have exceeded your messaging limits',
  'Authentication failed: Maximum credits exceeded',
  'Domain shop.example has exceeded the max emails per hour (500) allowed. Message discarded.',
  '450 4.7.1 rate limit reached',
  '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://x.example/user-unknown',
  "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent, since part of their network is on our block list (S3140)",
  '550 5.7.606 Access denied, banned sending IP [192.0.2.1]',
  '421-4.7.0 Our system has detected an unusual rate of unsolicited mail',
  'Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
  '550 5.7.26 This mail has been blocked because the sender is unauthenticated',
  '550 5.7.1 low reputation of the sending domain',
  '553 5.1.8 Domain of sender address signals@x.example does not exist',
  '550 Sender verify failed',
  '554 Message rejected: Email address is not verified. The following identities failed the check',
]
const UNCLEAR = [
  '',
  '550 5.1.1',
  '550 Requested action not taken: mailbox unavailable',
  '552 quota exceeded',
  '550 Recipient address rejected: Access denied',
  '554 5.7.1 Relay access denied',
  '550 message content rejected',
  '550 account disabled',
  '550 <no such user@x.example> administrative prohibition',
  '550 user unknown or mailbox full',
  'User unknown; your host is listed by a blocklist',
  'The mailbox is fine as far as anybody can see from here, but the time that we may take for one mail has been exceeded',
  'You have many unknown words, ask supportofuserunknown',
  'I would like to be excellent at turbliness',
]

test.each([
  ['an address that does not exist', 'address', ADDRESS],
  ['a mailbox that takes nothing', 'recipient', RECIPIENT],
  ['us', 'us', US],
  ['nobody that is sure', null, UNCLEAR],
] as const)('words of servers that concern %s are read so', (_title, about, words) => {
  expect(words.map((reply) => [reply, whomWordsConcern(reply)])).toEqual(words.map((reply) => [reply, about]))
})

test('of long words the first thousand characters are read', () => {
  expect(whomWordsConcern(`${'x '.repeat(494)}user unknown`)).toBe('address')
  expect(whomWordsConcern(`${'x '.repeat(495)}user unknown`)).toBeNull()
  expect(whomWordsConcern('sender address does not exist '.repeat(100_000))).toBe('us')
  expect(whomWordsConcern('mailbox '.repeat(1_000_000))).toBeNull()
})
