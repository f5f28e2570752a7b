import { make } from '../lib/make.ts'

/** The part of a form where an answer is shown. */
export type ShownAnswer = {
  element: HTMLElement
  /** Empties it for the next answer. */
  begin(command: string): void
  /** Shows an answer as it comes, since a stream has no end. @throws when it breaks off */
  show(answer: Response): Promise<void>
  /** Shows a sentence; the part of the answer that has come stays. */
  fail(sentence: string): void
}

export function shownAnswer(): ShownAnswer {
  const status = make('p', {})
  // There from the beginning: a screen reader speaks what changes in it.
  status.setAttribute('role', 'status')
  const [command, headers, body] = [sample(), sample(), sample()]
  // Not read from the page, which a translator may have changed.
  let shownLine = ''
  const rest = make(
    'div',
    { hidden: true },
    body,
    make('details', {}, make('summary', {}, 'Headers'), make('div', {}, headers)),
    make('h3', {}, 'Command line'),
    command,
    ...copyButton(() => shownLine),
  )
  return {
    element: make('div', { className: 'answer' }, status, rest),
    begin(line) {
      status.textContent = ''
      body.textContent = headers.textContent = ''
      command.textContent = shownLine = line
      rest.hidden = false
    },
    async show(answer) {
      status.textContent = `Answer: ${answer.status} ${answer.statusText}`
      headers.textContent = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
      body.textContent = readable(await readInto(body, answer))
    },
    fail(sentence) {
      status.textContent = sentence
    },
  }
}

/** @returns all of it */
async function readInto(element: HTMLElement, answer: Response): Promise<string> {
  let text = ''
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    element.append(read.value)
    text += read.value
  }
  return text
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function sample(): HTMLPreElement {
  return make('pre', { translate: false })
}

/** None where a browser has no clipboard, as on an address without TLS. */
function copyButton(textToCopy: () => string): HTMLElement[] {
  if (!navigator.clipboard) return []
  const button = make('button', { type: 'button' }, 'Copy')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textToCopy()).then(
      () => button.replaceChildren('Copied'),
      () => button.replaceChildren('Copying did not work'),
    )
  })
  return [button]
}
