/** Markup that may go to a browser as it is. Only `html` and `trusted` make it. */
export type Html = { readonly markup: string }

type Value = string | number | Html | readonly Html[] | null

/** Builds markup from a template: whatever is put in is escaped, unless it is markup itself; null gives nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { markup: parts.reduce((text, part, index) => text + render(values[index - 1] ?? null) + part) }
}

/** Passes text on as markup. For constants of this program only, never for what came from outside. */
export function trusted(markup: string): Html {
  return { markup }
}

function render(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  if ('markup' in value) return value.markup
  return value.map(render).join('')
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
