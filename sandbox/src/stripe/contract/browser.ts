/** A browser as far as the hosted pages need one: it opens addresses, fills a form in and presses a button. */
export type Shown = { status: number; url: string; html: string; policy: string; location: string | null }

/** Opens an address; redirects within the sandbox are followed, the way out of it is only noted. */
export async function open(url: string): Promise<Shown> {
  const answer = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
  return follow(answer, url)
}

/**
 * Presses the button with this label, in the first form that has it.
 * @param fields what was typed, by the names of the fields
 * @param about the object that the button belongs to, where a page has several of the same label
 */
export async function press(
  page: Shown,
  label: string,
  fields: Record<string, string> = {},
  about?: string,
): Promise<Shown> {
  const form = [...page.html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].find(
    ([text]) => text.includes(`>${label}</button>`) && (about === undefined || text.includes(about)),
  )
  if (form === undefined) throw new Error(`The page has no button ${label}.`)
  const body = new URLSearchParams()
  for (const [tag] of (form[2] ?? '').matchAll(/<input type="hidden"[^>]*>/g))
    body.set(attribute(tag, 'name'), attribute(tag, 'value'))
  const button = new RegExp(`<button[^>]*>${label}</button>`).exec(form[2] ?? '')?.[0] ?? ''
  if (button.includes('name=')) body.set(attribute(button, 'name'), attribute(button, 'value'))
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  const url = new URL(form[1] ?? '', page.url).href
  if (/^<form[^>]*method="get"/.test(form[0])) return open(url)
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', body })
  return follow(answer, url)
}

async function follow(answer: Response, url: string): Promise<Shown> {
  const location = answer.headers.get('location')
  const next = location === null ? null : new URL(location, url)
  if (next !== null && next.origin === new URL(url).origin) return open(next.href)
  return {
    status: answer.status,
    url,
    html: await answer.text(),
    policy: answer.headers.get('content-security-policy') ?? '',
    location,
  }
}

/** The text of a page, without its markup. */
export function words(page: Shown): string {
  return page.html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
}
