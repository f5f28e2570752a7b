import { toBase64Url } from '@tradepost/record/bytes'
import { type Policy, writeProof, writeReceipt } from '@tradepost/record/receipt'
import { make } from '../lib/make.ts'
import { type Judged, signaturesOf } from './judge.ts'
import { type Colour, sayEntry, sayFacts, sayVerdict } from './words.ts'

/** Signs beside the colour, for people who do not see it. */
const SIGNS: Record<Colour, { sign: string; word: string }> = {
  good: { sign: '✓', word: 'Proven' },
  open: { sign: '!', word: 'Not decided' },
  bad: { sign: '✕', word: 'False' },
}

/** A box with an answer in its colour. */
export function box(colour: Colour, sentence: string, ...below: Node[]): HTMLElement {
  const { sign, word } = SIGNS[colour]
  const heading = make(
    'h2',
    {},
    mark(sign),
    make('span', { className: 'word' }, word),
    make('span', {}, sentence),
  )
  const shown = make('article', { className: 'answer' }, heading, ...below)
  shown.dataset.colour = colour
  return shown
}

function mark(sign: string): HTMLElement {
  const shown = make('span', { className: 'sign', translate: false }, sign)
  shown.setAttribute('aria-hidden', 'true')
  return shown
}

/** The answer about one receipt, with how it is known. */
export function showJudged(judged: Judged, policy: Policy | null): HTMLElement {
  const { colour, sentence } = sayVerdict(judged)
  if (!('checked' in judged) || policy === null) return box(colour, sentence)
  const { checked, receipt } = judged
  const facts = make(
    'dl',
    {},
    ...sayFacts(checked).flatMap(({ isCode = false, name, value }) => [
      make('dt', {}, name),
      make('dd', { className: isCode ? 'code' : '', translate: !isCode }, value),
    ]),
  )
  const signatures = signaturesOf(receipt, policy)
  const proof = writeProof(receipt, { origin: policy.origin, root: checked.root, signatures })
  const known = make(
    'details',
    {},
    make('summary', {}, 'How this is known'),
    make(
      'p',
      {},
      'The text opens the seal of its leaf, the leaf leads to the root of the tree, and the log’s key signed that root. All of it was computed in this browser.',
    ),
    facts,
    saveButton('Save as proof', `leaf-${checked.index}.tlog-proof`, proof),
  )
  const compared = make('p', {}, 'Does your mail say the same?')
  return box(colour, sentence, make('p', { className: 'entry' }, sayEntry(checked.text)), compared, known)
}

/** Saves a text as a file, made here. */
export function saveButton(name: string, file: string, text: string): HTMLButtonElement {
  const button = make('button', { type: 'button' }, name)
  button.addEventListener('click', () => {
    const href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    make('a', { href, download: file }).click()
    // Browsers read the file after this turn.
    setTimeout(() => URL.revokeObjectURL(href), 60_000)
  })
  return button
}

/** A receipt as its link holds it. */
export const linkOf = (judged: Judged): string[] =>
  'receipt' in judged ? [toBase64Url(writeReceipt(judged.receipt))] : []
