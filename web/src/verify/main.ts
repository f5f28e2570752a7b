/*
 * The page /verify (rule G-115): checks receipts in the browser. A receipt is in the fragment of the page's address, which browsers send to
 * nobody, or in a mail that is dropped, chosen or pasted here.
 */
import { RECORD_KEYS_ELEMENT_ID, type RecordKeys } from '@tradepost/contract/record-keys'
import { askRecord } from '../lib/record/ask-record.ts'
import { policyOf, readSignedHead, type SignedHead } from '../lib/record/known-keys.ts'
import { registerServiceWorker } from '../lib/service-worker.ts'
import { type Contradiction, compareWithToday, contradictionIn } from './compare-heads.ts'
import { writeEvidence } from './evidence.ts'
import { type Found, findReceipts } from './find-receipts.ts'
import { type Judged, judge } from './judge.ts'
import { keepSeen, readSeen } from './seen.ts'
import { box, linkOf, saveButton, showJudged } from './show.ts'
import { CONVICTION, sayComparison } from './words.ts'
import './verify.css'

/** Mails with their pictures are smaller; of a larger file only the beginning is read. */
const MAX_FILE_BYTES = 20_000_000
/** Each takes a few milliseconds. */
const MAX_RECEIPTS = 200

const keys = JSON.parse(
  document.getElementById(RECORD_KEYS_ELEMENT_ID)?.textContent || 'null',
) as RecordKeys | null
const policy = keys && policyOf(keys)
const answers = document.querySelector('#verdicts')
const form = document.querySelector<HTMLFormElement>('#verify-form')
const pasted = form?.querySelector('textarea')
const files = form?.querySelector<HTMLInputElement>('input[type=file]')

/** Counts what was asked, so that an answer that comes late does not stand below a newer question. */
let asked = 0

async function check(found: readonly Found[]): Promise<void> {
  const mine = ++asked
  if (found.length === 0) {
    answers?.replaceChildren(
      box(
        'open',
        'There is no receipt in this. It is the link “Verify this signal” at the foot of a mail; the whole mail, saved as a file, holds it too.',
      ),
    )
    return
  }
  const judged = await Promise.all(found.slice(0, MAX_RECEIPTS).map(({ bytes }) => judge(bytes, policy)))
  if (mine !== asked) return
  answers?.replaceChildren(...judged.map((one) => showJudged(one, policy)))
  await compare(judged, () => mine === asked)
}

/** Compares the receipts with each other, with what this browser saw before, and where there is a network with today. */
async function compare(judged: readonly Judged[], isAsked: () => boolean): Promise<void> {
  const held = judged.flatMap((one) => ('head' in one ? [one.head] : []))
  if (policy === null || held.length === 0) return
  const note = await readSeen(policy.origin)
  const seen = note === null ? null : await readSignedHead(note, policy)
  const heads = seen ? [seen, ...held] : held
  const links = judged.flatMap(linkOf)
  const found = contradictionIn(heads)
  if (found) {
    if (isAsked()) answers?.prepend(box('bad', CONVICTION, evidenceButton(found, links)))
    return
  }
  const comparison = await compareWithToday(heads, policy, askRecord)
  if (comparison.outcome === 'continued') await keepNewest([...heads, comparison.today], seen)
  if (comparison.outcome === 'unreachable') await keepNewest(heads, seen)
  if (!isAsked()) return
  const { colour, sentence } = sayComparison(comparison)
  if (comparison.outcome === 'contradicted')
    answers?.prepend(box(colour, sentence, evidenceButton(comparison.contradiction, links)))
  else answers?.append(box(colour, sentence))
}

async function keepNewest(heads: readonly SignedHead[], seen: SignedHead | null): Promise<void> {
  const newest = heads.reduce((a, b) => (b.size > a.size ? b : a))
  if (newest.size > (seen?.size ?? 0)) await keepSeen(newest.origin, newest.note)
}

function evidenceButton(contradiction: Contradiction, links: readonly string[]): HTMLButtonElement {
  const text = writeEvidence(contradiction, links, keys?.log ?? [], new Date())
  return saveButton('Save the evidence', 'tradepost-evidence.txt', text)
}

async function checkFiles(list: FileList | undefined | null): Promise<void> {
  const texts = await Promise.all([...(list ?? [])].map((file) => file.slice(0, MAX_FILE_BYTES).text()))
  const found = texts.flatMap(findReceipts)
  await check(found.filter(({ link }, at) => found.findIndex((other) => other.link === link) === at))
}

function checkAddress(): void {
  if (location.hash.length > 1) void check(findReceipts(location.href))
}

if (form) form.hidden = false
form?.addEventListener('submit', (event) => {
  event.preventDefault()
  void check(findReceipts(pasted?.value ?? ''))
})
files?.addEventListener('change', () => void checkFiles(files.files))
addEventListener('dragover', (event) => event.preventDefault())
addEventListener('drop', (event) => {
  event.preventDefault()
  const { dataTransfer } = event
  if (dataTransfer?.files.length) void checkFiles(dataTransfer.files)
  else void check(findReceipts(dataTransfer?.getData('text/plain') ?? ''))
})
addEventListener('hashchange', checkAddress)
checkAddress()
// Kept for the next time, which may be without a network. A browser that forbids it still checks.
registerServiceWorker().catch(() => undefined)
