import { createHash } from 'node:crypto'
import { BRAND, BRAND_FIRST_WORD, BRAND_SECOND_WORD } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import { dark, FONT, light } from '@tradepost/emails/palette'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from './error-handler.ts'

const colours = (palette: typeof dark) =>
  Object.entries(palette)
    .map(([role, colour]) => `--${role}:${colour}`)
    .join(';')

const STYLE = `:root{color-scheme:dark light;${colours(dark)}}
@media(prefers-color-scheme:light){:root{${colours(light)}}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;grid-template-rows:auto 1fr auto;background:var(--page);color:var(--ink);font:15px/1.55 ${FONT}}
header,footer{width:100%;max-width:1080px;margin:0 auto;padding:0 24px}
header{display:flex;align-items:center;height:64px}
main{width:100%;max-width:472px;margin:0 auto;padding:8vh 16px 48px}
footer{display:flex;flex-wrap:wrap;gap:0 24px;padding-block:16px;font-size:14px}
footer a{display:inline-flex;align-items:center;min-width:44px;min-height:44px;color:var(--muted);text-decoration:none}
footer a:hover{color:var(--ink);text-decoration:underline}
.brand{display:flex;align-items:center;gap:8px;min-height:44px;color:inherit;font-size:18px;font-weight:300;letter-spacing:-.025em;text-decoration:none}
.brand svg{color:var(--accent)}
.brand b{font-weight:700}
.card{padding:28px 24px;background:var(--card);border:1px solid var(--border);border-radius:10px}
h1{margin:0 0 12px;font-size:20px;line-height:28px}
p{margin:0 0 20px}
.ways{display:flex;flex-wrap:wrap;align-items:center;gap:12px}
.ways a{display:inline-flex;align-items:center;min-height:44px}
.card>:last-child{margin-bottom:0}
.quiet{color:var(--muted)}
a{color:var(--accent)}
label{display:block;margin:0 0 6px;font-weight:600}
input{width:100%;min-height:44px;margin:0 0 16px;padding:0 12px;border:1px solid var(--muted);border-radius:8px;background:var(--page);color:var(--ink);font:inherit;font-size:20px;letter-spacing:4px}
form+form{margin-top:16px}
button{min-height:44px;padding:0 20px;border:0;border-radius:8px;background:var(--accent);color:var(--onAccent);font:inherit;font-weight:600;cursor:pointer}
button.plain{padding:0;background:none;color:var(--accent);text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:3px}`

const MARK =
  '<svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><path d="M6 2.5v19M3 21.5h6"/><path d="M6 4h13.2l-3.4 4.25 3.4 4.25H6z" fill="currentColor" stroke="none"/></svg>'

/** A page needs no script and no file: its one style sheet is allowed by its hash, its forms post to itself. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers a page that a mail leads to. */
export function showMailPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
    .send(html)
}

/** Answers the errors of these routes as pages too: who comes from a mail reads no JSON. */
export function showErrorsAsPages(scope: FastifyInstance): void {
  scope.setErrorHandler((error, request: FastifyRequest, reply) => {
    const { status } = refuse(error, request, reply)
    return showMailPage(reply, status, status === 429 ? waitPage() : failurePage())
  })
}

export function waitPage(): string {
  return mailPage(
    'Please wait a moment',
    '<h1>Please wait a moment</h1>\n<p>Too many requests came from your network. Open the link again in a few minutes.</p>',
  )
}

function failurePage(): string {
  return mailPage(
    'Something went wrong',
    '<h1>Something went wrong</h1>\n<p>Please open the link in the mail again in a few minutes. It still works.</p>',
  )
}

/** A page that a mail leads to, for people who need not be signed in. @param title and @param content as HTML */
export function mailPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${BRAND}</title>
<style>${STYLE}</style>
</head>
<body>
<header><a class="brand" href="${webPaths.home}">${MARK}<span><b>${BRAND_FIRST_WORD}</b>${BRAND_SECOND_WORD}</span></a></header>
<main>
<div class="card">
${content}
</div>
</main>
<footer><a href="${webPaths.terms}">Terms</a><a href="${webPaths.privacy}">Privacy</a><a href="${webPaths.contact}">Contact</a></footer>
</body>
</html>
`
}
