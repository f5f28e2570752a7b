import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSources } from './references.ts'

/** Names and phrases that were replaced, with what is said instead. */
const RETIRED: readonly (readonly [RegExp, string])[] = [
  [/\b(make|sweep)?Bell\b(?!Ring)|\bstrokes\(/, 'wakeUp with notify, version and waitBeyond'],
  [/\b(startSlot|startSenderSlot)\b/, 'startSenderLoop'],
  [/smtp-line|\bSmtpLine\b/, 'SmtpWithBackOff'],
  [/\b(open)?Ledger\b(?! row)|\bLedgerSession\b/, 'DeliveryStore'],
  [/\bapi-door\b|\bApiDoor\b/, 'register-endpoints'],
  [/trader-head|\bTraderHead\b/, 'trader-sequence'],
  [/\b(read|judge|check)Standing\b/, 'relationship'],
  [/know-platform|TOLD_BY_SET_UP/, 'verify-stripe-account, PRINTED_BY_SET_UP'],
  [/\bonlyOnce\b|\bonly-once\b/, 'createIdempotently'],
  [/hot-statement|\bhotStatement\b/, 'compiledQuery'],
  [/\btype (Told|Unsettled|Proof)\b/, 'what the type holds'],
  [/mischief/i, 'disturbance, disturbed'],
  [/\b(makeTeller|teller)\b/, 'reporter'],
  [/\bdoomed/i, 'crashing'],
  [/money-market/, 'money-load'],
  [/\bopen\w*Room\b|\b(Webhook|Payments|Delivery)Room\b/, 'start…Scenario'],
  [/\b(on|open)\w*Stage\b|\bStripeStage\b/, 'scenario; StripeSandbox'],
  [/\b(front|one) door\b|\bthis house\b/, 'as a person does; the product'],
  [/\bproduct\.md\b/, 'docs/specification.md'],
]

/** This list; released migrations, whose text is fixed; what is generated from test titles; who names the former name. */
const EXCEPT =
  /^scripts\/(retired-words|references)\.test\.ts$|^server\/migrations\/|^docs\/acceptance\.md$|^docs\/decisions\//

test('names and phrases that were replaced stay away', () => {
  const found = readSources(join(import.meta.dirname, '..'))
    .filter(({ path }) => !EXCEPT.test(path))
    .flatMap(({ path, text }) =>
      RETIRED.filter(([word]) => word.test(text)).map(([word, instead]) => `${path}: ${word} → ${instead}`),
    )
  expect(found).toEqual([])
})
