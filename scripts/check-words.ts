/**
 * Names and phrases that were replaced, with what is said instead, and sentences that begin with their own question; exit 1 where a
 * name, a comment or a page has one of them again.
 */
import { join } from 'node:path'
import { proseOf, readSources } from './references.ts'

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
  [/\blookUpTogether\b|look-up-together/, 'batchedLookup'],
  [/\bshareRuns\b|share-runs/, 'coalesce'],
  [/\boneAfterAnother\b|one-after-another/, 'serialQueue'],
  [/\bkeepAnswers\b|recent-answers/, 'ttlCache'],
  [/\bkeep(By|For)Version\b|keep-(by|for)-version/, 'versionedCache, versionedValue'],
  [/\bisSpread\b|\bwaitForNodesAlone\b/, 'isDistributed, skipCoordinatorFlush'],
  [/\bsayText\b|\bfollowAnew\b|\bHearers?\b/, 'writeEvent, reconnect, FeedClient'],
  [/\bletGo\b|\bSetback\b|\bsettleDoubtful\b/, 'release, Failure, settleUnconfirmed'],
  [/\btell[A-Z]\w*\b|\b\w*(Told|Heard)\b|\b(told|heard)[A-Z]\w*\b/, 'notify…, notified…, received…'],
  [/\bproduct\.md\b/, 'docs/specification.md'],
]
/** In comments and pages: the subject comes first, and each thing has the field's name. */
const PROSE: readonly (readonly [RegExp, string])[] = [
  [
    /(?:^|[.:;!?]\s+|\/\*\*?\s*|\/\/\s*|^[-*\d.]+\s+|\|\s)(What|Who|Whoever|Whose|Whom|Whatever|Those (?:that|who|of))\b/m,
    'a sentence that begins with its subject',
  ],
  [/\b(anew|beforehand|in vain|setback)\b/i, 'again, earlier, without success, failure'],
  [/\b[Dd]ecisions? (?:\* )?(?:\d{4}|G-\d+|\d\.\d)\b/, 'ADR 0013, rule G-45, section 3.1'],
]
/** This list, and the check of references; decisions and the last release, which have what was replaced. */
const EXCEPT =
  /^scripts\/(check-words|references(\.test)?)\.ts$|^docs\/decisions\/|\/previous-statements\.json$/
/** The specification is as it was given; operators write the texts. */
const GIVEN = /^docs\/specification|^server\/texts\//

const found = readSources(join(import.meta.dirname, '..'))
  .filter(({ path }) => !EXCEPT.test(path))
  .flatMap((source) => [
    ...REPLACED.map(([word, instead]) => ({ word, instead, text: source.text, path: source.path })),
    ...PROSE.filter(() => !GIVEN.test(source.path)).map(([word, instead]) => ({
      word,
      instead,
      text: proseOf(source),
      path: source.path,
    })),
  ])
  .flatMap(({ instead, path, text, word }) => {
    const [hit] = word.exec(text) ?? []
    return hit === undefined ? [] : [`${path}: “${hit.trim()}” → ${instead}`]
  })
if (found.length > 0) console.error(found.join('\n'))
process.exit(found.length === 0 ? 0 : 1)
