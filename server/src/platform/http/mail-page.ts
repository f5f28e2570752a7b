import { createHash } from 'node:crypto'
import { BRAND, BRAND_FIRST_WORD, BRAND_SECOND_WORD } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from './error-handler.ts'

/** The app's colours, by their names in web/src/styles.css; a test compares them. */
export const MAIL_PAGE_COLOURS = {
  dark: {
    background: 'oklch(0.16 0.01 260)',
    foreground: 'oklch(0.95 0.005 260)',
    card: 'oklch(0.195 0.011 260)',
    field: 'oklch(0.175 0.01 260)',
    border: 'oklch(0.28 0.012 260)',
    input: 'oklch(0.53 0.014 260)',
    ring: 'oklch(0.9 0.005 260)',
    'muted-foreground': 'oklch(0.74 0.015 260)',
    primary: 'oklch(0.8 0.17 155)',
    action: 'oklch(0.95 0.005 260)',
    'action-hover': 'oklch(0.86 0.008 260)',
    'action-foreground': 'oklch(0.18 0.012 260)',
  },
  light: {
    background: 'oklch(0.99 0 0)',
    foreground: 'oklch(0.21 0.012 260)',
    card: 'oklch(1 0 0)',
    field: 'oklch(1 0 0)',
    border: 'oklch(0.905 0.005 260)',
    input: 'oklch(0.62 0.012 260)',
    ring: 'oklch(0.3 0.012 260)',
    'muted-foreground': 'oklch(0.48 0.014 260)',
    primary: 'oklch(0.5 0.13 155)',
    action: 'oklch(0.25 0.014 260)',
    'action-hover': 'oklch(0.36 0.016 260)',
    'action-foreground': 'oklch(0.99 0.002 260)',
  },
} as const

const colours = (theme: Readonly<Record<string, string>>) =>
  Object.entries(theme)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';')

/** The app's font under a name that no build changes (scripts/build-web.ts). Without it the page is read in one of the system's. */
const FONT_FILE = '/geist-latin.woff2'

const STYLE = `:root{color-scheme:dark light;${colours(MAIL_PAGE_COLOURS.dark)}}
@media(prefers-color-scheme:light){:root{${colours(MAIL_PAGE_COLOURS.light)}}}
@font-face{font-family:Geist;font-weight:300 700;font-display:swap;src:url(${FONT_FILE}) format("woff2")}
@font-face{font-family:"Geist Fallback";src:local("Arial"),local("Liberation Sans");size-adjust:104.76%;ascent-override:95.94%;descent-override:28.16%;line-gap-override:0%}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;grid-template-rows:auto 1fr auto;background:var(--background);color:var(--foreground);font:16px/1.5 Geist,"Geist Fallback",ui-sans-serif,system-ui,sans-serif;-webkit-font-smoothing:antialiased}
header,footer{width:100%;max-width:1080px;margin:0 auto;padding:0 24px}
header{display:flex;align-items:center;height:64px}
main{width:100%;max-width:472px;margin:0 auto;padding:8vh 16px 48px}
footer{display:flex;flex-wrap:wrap;gap:0 24px;padding-block:16px;font-size:14px}
footer a{display:inline-flex;align-items:center;min-width:44px;min-height:44px;color:var(--muted-foreground);text-decoration:none}
footer a:hover{color:var(--foreground);text-decoration:underline}
.brand{display:flex;align-items:center;gap:8px;min-height:44px;color:inherit;font-size:18px;font-weight:300;letter-spacing:-.025em;text-decoration:none}
.brand svg{color:var(--primary)}
.brand b{font-weight:700}
.card{padding:24px;background:var(--card);border:1px solid var(--border);border-radius:12px}
h1{margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.025em;overflow-wrap:anywhere}
p{margin:0 0 20px}
.ways{display:flex;flex-wrap:wrap;align-items:center;gap:12px}
.ways a{display:inline-flex;align-items:center;min-height:44px}
.card>:last-child{margin-bottom:0}
.quiet{color:var(--muted-foreground)}
a{color:inherit;text-underline-offset:4px}
label{display:block;margin:0 0 8px;font-size:14px;font-weight:500}
input{width:100%;min-height:44px;margin:0 0 16px;padding:0 12px;border:1px solid var(--input);border-radius:6px;background:var(--field);color:inherit;font:inherit;font-size:20px;letter-spacing:4px}
form+form{margin-top:16px}
form+p{margin-top:20px}
details{margin:0 0 12px;border:1px solid var(--border);border-radius:8px}
details>:not(summary){margin:0 16px 12px}
details>:last-child{margin-bottom:16px}
summary{padding:10px 16px;border-radius:7px;font-weight:500;cursor:pointer}
summary .quiet{font-weight:400}
summary:focus-visible{outline-offset:-2px}
.more{margin:16px 0 20px}
button{min-height:44px;padding:0 20px;border:0;border-radius:6px;background:var(--action);color:var(--action-foreground);font:inherit;font-size:15px;font-weight:500;cursor:pointer}
button:hover{background:var(--action-hover)}
button.plain{padding:0;background:none;color:inherit;text-decoration:underline;text-underline-offset:4px}
:focus-visible{outline:2px solid var(--ring);outline-offset:3px}`

const MARK =
  '<svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><path d="M6 2.5v19M3 21.5h6"/><path d="M6 4h13.2l-3.4 4.25 3.4 4.25H6z" fill="currentColor" stroke="none"/></svg>'

/** A page needs no script, and no file but the font: its one style sheet is allowed by its hash, its forms post to itself. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "font-src 'self'",
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

/** For routes whose path says all that is needed: a body of any length and type is ignored, also one of an invalid type. */
export function ignoreBodies(scope: FastifyInstance): void {
  scope.addHook('onRequest', async ({ raw }) => {
    if (raw.method === 'POST') raw.headers['content-type'] = 'application/octet-stream'
  })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, body, done) => {
    body.resume()
    done(null, null)
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
<link rel="preload" href="${FONT_FILE}" as="font" type="font/woff2" crossorigin>
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
