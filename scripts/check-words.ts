/** Names and phrases that were replaced, with their replacements; exit 1 where a name, a comment or a page has one of them again. */
import { join } from 'node:path'
import { readSources } from './references.ts'

const REPLACED: readonly (readonly [RegExp, string])[] = [
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
  [/\bPaymentsDeps\b|payments-deps/, 'BillingDeps'],
  [/\b(askStripe|tellOfRefusal|tellOfRejection)\b/, 'callStripe, notifyOfRefusal, notifyOfRejection'],
  [/\bproduct\.md\b/, 'docs/specification.md'],
]
/** This list; decisions, which name what they replaced. */
const EXCEPT = /^scripts\/check-words\.ts$|^docs\/decisions\//

const found = readSources(join(import.meta.dirname, '..'))
  .filter(({ path }) => !EXCEPT.test(path))
  .flatMap(({ path, text }) =>
    REPLACED.filter(([word]) => word.test(text)).map(([word, instead]) => `${path}: ${word} → ${instead}`),
  )
console.log(found.join('\n'))
process.exit(found.length === 0 ? 0 : 1)
