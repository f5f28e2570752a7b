import MarkdownIt from 'markdown-it'
import { fieldsOf, kindOf, type Schema } from './api-docs-schema.ts'

type Example = { value: unknown }
type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, Example> }>
type Parameter = { name: string; in: string; required: boolean; schema: Schema; example?: unknown }
type Call = {
  operationId: string
  tags: [string]
  summary: string
  parameters: Parameter[]
  requestBody?: { description: string; content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
/** The parts that are read of the document that openapi.ts makes. */
type ApiDocument = {
  info: { description: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Call>>
}

/** Texts of an OpenAPI document are Markdown; HTML in them stays text. */
const markdown = new MarkdownIt({ html: false })
const { escapeHtml } = markdown.utils
// Names and codes are the same in every language.
markdown.renderer.rules.code_inline = (tokens, at) => code(tokens[at]?.content ?? '')

/**
 * The OpenAPI document for people, as HTML: each call with what it takes, its answer, its refusals and their examples, so that all of
 * it is read without a script. Parts that need one are hidden and marked with `data-scripted`; web/src/api-docs shows them.
 * @param document as openApiDocument makes it
 */
export function apiDocsHtml(document: object): string {
  const { info, tags, paths } = document as ApiDocument
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({
      tag: call.tags[0],
      html: callHtml(method, path, call),
    })),
  )
  const groups = tags.map(({ name }) => {
    const ofTag = calls.filter(({ tag }) => tag === name)
    return `<h2>${escapeHtml(name)}</h2>\n${ofTag.map(({ html }) => html).join('\n')}`
  })
  return [markdown.render(info.description), TOKEN, ...groups].join('\n')
}

/** One field for all calls. It belongs to no form and is kept nowhere. */
const TOKEN = `<details class="token" data-scripted hidden><summary>Authorize</summary><div>
<p>Calls are made as the person who is signed in in this browser, unless you give another access token.</p>
<label for="api-token">Access token</label><input id="api-token" autocomplete="off" spellcheck="false" />
</div></details>`

/** The address of a call is `#/Positions/openPosition`. It stands within what is folded, since a browser then unfolds it by itself. */
function callHtml(method: string, path: string, call: Call): string {
  const { operationId, tags, summary, parameters, requestBody, responses } = call
  return `<details class="call"><summary><span class="method ${method}">${method.toUpperCase()}</span>
${code(path)} <span class="summary">${markdown.renderInline(summary)}</span></summary>
<div id="/${encodeURIComponent(tags[0])}/${operationId}">
${parameters.length > 0 ? `<h3>Parameters</h3>\n<ul>${parameters.map(parameterHtml).join('\n')}</ul>` : ''}
${requestBody ? `<h3>Request body</h3>\n${markdown.render(requestBody.description)}${contentHtml(requestBody.content, 'unfolded')}` : ''}
<h3>Answers</h3>
<dl>${Object.entries(responses).map(responseHtml).join('\n')}</dl>
<details><summary>Examples of the refusals</summary><div>${Object.entries(responses).map(refusalsHtml).join('')}</div></details>
<button type="button" data-try="${operationId}" data-scripted hidden>Try it out</button>
</div></details>`
}

function parameterHtml({ name, in: place, required, schema, example }: Parameter): string {
  const words = [place, required ? 'required' : 'optional', kindOf(schema)].join(', ')
  const about = schema.description ? ` ${escapeHtml(schema.description)}` : ''
  return `<li>${code(name)} <span>${words}</span>${about} Example: ${code(String(example))}</li>`
}

/** Of an answer that succeeded the example; a refusal's sentences are its description, its examples stand apart. */
function responseHtml([status, { description, content }]: [string, Call['responses'][string]]): string {
  const succeeded = content && status < '300' ? contentHtml(content, 'folded') : ''
  return `<dt>${code(status)}</dt><dd>${markdown.render(description)}${succeeded}</dd>`
}

/** The fields of an answer, which may be many, are folded: its example names them. */
function contentHtml(content: Content, folded: 'folded' | 'unfolded'): string {
  const parts = Object.entries(content).map(([type, { schema, example }]) => {
    const fields = fieldsOf(schema)
    const shown = `<details><summary>Fields</summary><div>${fields}</div></details>`
    return `<p>${code(type)}</p>${json(example)}\n${folded === 'folded' && fields ? shown : fields}`
  })
  return parts.join('')
}

function refusalsHtml([status, { content }]: [string, Call['responses'][string]]): string {
  const examples = Object.values(content ?? {}).flatMap(({ examples = {} }) => Object.values(examples))
  return examples.map(({ value }) => `<p>${code(status)}</p>${json(value)}`).join('')
}

function json(value: unknown): string {
  return `<pre translate="no">${escapeHtml(JSON.stringify(value, null, 2))}</pre>`
}

function code(text: string): string {
  return `<code translate="no">${escapeHtml(text)}</code>`
}
