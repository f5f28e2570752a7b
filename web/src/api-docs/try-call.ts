import { authClient } from '../lib/auth-client.ts'
import { make } from '../lib/make.ts'
import { type Call, type CallRequest, commandLine, requestOf } from './call-request.ts'
import { type ShownAnswer, shownAnswer } from './shown-answer.ts'

const UNREACHED = 'The server did not answer. Please try again in a moment.'

type Operation = {
  operationId: string
  parameters: Call['parameters']
  requestBody?: { content: { 'application/json': { example: unknown } } }
}
type ApiDocument = { paths: Record<string, Record<string, Operation>> }

/**
 * Puts the form that makes the call in the place of the button.
 * @throws when what is known of the call cannot be loaded
 */
export async function openForm(button: HTMLElement): Promise<void> {
  const form = drawForm(await loadCall(button.dataset.try ?? ''), () => {
    form.remove()
    button.hidden = false
    button.focus()
  })
  button.hidden = true
  button.after(form)
  form.querySelector<HTMLElement>('input, textarea, button')?.focus()
}

/** From the same document that the page is made of. */
async function loadCall(name: string): Promise<Call> {
  const { paths } = (await (await fetch('/openapi.json')).json()) as ApiDocument
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, parameters, requestBody }] of Object.entries(methods)) {
      const body = requestBody?.content['application/json'].example
      if (operationId === name) return { method: method.toUpperCase(), path, parameters, body }
    }
  }
  throw new Error(`There is no call ${name}`)
}

function drawForm(call: Call, close: () => void): HTMLFormElement {
  const fields = call.parameters.map(({ name, in: place, required, example }) => {
    const value = required ? String(example) : ''
    const input = make('input', { value, required: place === 'path', autocomplete: 'off', spellcheck: false })
    return { input, label: make('label', {}, `${name} (${place})`, input) }
  })
  const body = call.body === undefined ? null : bodyField(call.body)
  const execute = make('button', { type: 'submit', className: 'primary' }, 'Execute')
  const cancel = make('button', { type: 'button' }, 'Cancel')
  const answer = shownAnswer()
  const labels = fields.map(({ label }) => label)
  if (body) labels.push(make('label', {}, 'Request body', body))
  const form = make('form', {}, ...labels, make('p', {}, execute, ' ', cancel), answer.element)

  let running: AbortController | null = null
  const send = async () => {
    running = new AbortController()
    execute.textContent = 'Stop'
    const values = fields.map(({ input }) => input.value)
    await makeCall(requestOf(call, values, body?.value ?? null), answer, running.signal)
    running = null
    execute.textContent = 'Execute'
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // The live feed answers until somebody stops it.
    if (running) running.abort()
    else void send()
  })
  cancel.addEventListener('click', () => {
    running?.abort()
    close()
  })
  return form
}

function bodyField(example: unknown): HTMLTextAreaElement {
  const value = JSON.stringify(example, null, 2)
  return make('textarea', { value, rows: value.split('\n').length + 1, spellcheck: false })
}

async function makeCall(request: CallRequest, shown: ShownAnswer, signal: AbortSignal): Promise<void> {
  shown.begin(commandLine(request, location.origin))
  try {
    const headers = await headersOf(request)
    const { method, path, body } = request
    await shown.show(await fetch(path, { method, headers, body, signal, cache: 'no-store' }))
  } catch {
    shown.fail(signal.aborted ? 'Stopped.' : UNREACHED)
  }
}

/** A token that was given goes before that of the person who is signed in in this browser. */
async function headersOf({ body }: CallRequest): Promise<Headers> {
  const headers = new Headers(body === null ? {} : { 'content-type': 'application/json' })
  const given = document.querySelector<HTMLInputElement>('#api-token')?.value.trim()
  const token = given || (await authClient.getSession()).data.session?.access_token
  if (token) headers.set('authorization', `Bearer ${token}`)
  return headers
}
