import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Html, html, trusted } from './html.ts'
import { CSS } from './style.ts'

type Crumb = { href: string; text: string }

export type Page = {
  title: string
  /** The name of this page in the breadcrumb, where the title is too long for it. */
  here?: string
  /** The way back, from the index on. */
  crumbs: Crumb[]
  body: Html
  /** Directives of the Content-Security-Policy in which this page differs from the others. */
  policy?: Record<string, string>
  /** Rules of this part's own, after those that all pages share. */
  styles?: string
  status?: number
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%23b45309' stroke-width='2.4' stroke-linejoin='round'%3E%3Cpath d='M12 2.5 21 7v10l-9 4.5L3 17V7zM3 7l9 4.5L21 7M12 11.5v10'/%3E%3C/svg%3E"

const POLICY = {
  'default-src': "'none'",
  'style-src': "'none'",
  'img-src': 'data:',
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** Writes a Content-Security-Policy header from its directives. */
export function policyHeader(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`.trim())
    .join('; ')
}

/** Answers with a page in the look that all parts share: no scripts, nothing loaded from elsewhere, never cached. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyHeader({ ...POLICY, ...styleSource(page), ...page.policy }))
    .send(layout(page).markup)
}

function styleSource(page: Page): Record<string, string> {
  return { 'style-src': `'sha256-${createHash('sha256').update(rules(page)).digest('base64')}'` }
}

function rules({ styles }: Page): string {
  return `${CSS}${styles ?? ''}`
}

function layout(page: Page): Html {
  const { title, here, crumbs, body } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${crumbs.length > 0 ? `${title} · Sandbox` : title}</title>
<link rel="icon" href="${ICON}">
<style>${trusted(rules(page))}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<nav aria-label="Breadcrumb"><ol>${crumbs.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
<li aria-current="page">${here ?? title}</li></ol></nav>
<p class="notice">No real money or mail moves here.</p>
</header>
<main id="main" tabindex="-1">
<h1>${title}</h1>
${body}
</main>
</body>
</html>`
}
