import { createHash } from 'node:crypto'
import { BRAND, BRAND_FIRST_WORD, BRAND_SECOND_WORD } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import { dark, FONT, light } from '@tradepost/emails/palette'

const colours = (palette: typeof dark) =>
  Object.entries(palette)
    .map(([role, colour]) => `--${role}:${colour}`)
    .join(';')

const STYLE = `:root{color-scheme:dark light;${colours(dark)}}
@media(prefers-color-scheme:light){:root{${colours(light)}}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px 16px;background:var(--page);color:var(--ink);font:16px/1.5 ${FONT}}
main{width:100%;max-width:440px}
.brand{display:flex;align-items:center;gap:7px;margin:0 0 16px;font-size:18px;font-weight:300}
.brand svg{color:var(--accent)}
.brand b{font-weight:700}
.card{padding:28px 24px;background:var(--card);border:1px solid var(--border);border-radius:10px}
h1{margin:0 0 12px;font-size:20px;line-height:28px}
p{margin:0 0 20px}
.card>:last-child{margin-bottom:0}
.quiet{color:var(--muted)}
a{color:var(--accent)}
button{min-height:44px;padding:0 20px;border:0;border-radius:8px;background:var(--accent);color:var(--onAccent);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:3px}`

const MARK =
  '<svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><path d="M6 2.5v19M3 21.5h6"/><path d="M6 4h13.2l-3.4 4.25 3.4 4.25H6z" fill="currentColor" stroke="none"/></svg>'

/** The page needs no script and no file: its one style sheet is allowed by its hash, its one form posts to itself. */
export const UNSUBSCRIBE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** @param trader username, or null for a trader without one */
export function confirmPage(trader: string | null): string {
  const name = nameOf(trader)
  return page(
    `Stop mails about ${name}`,
    `<h1>Stop mails about ${name}?</h1>
<p>You will get no more mails when ${name} opens or closes a position. Your subscription goes on, and the positions stay visible on your home page.</p>
<form method="post"><button type="submit">Stop these mails</button></form>`,
  )
}

export function donePage(trader: string | null): string {
  const name = nameOf(trader)
  return page(
    'Done',
    `<h1>Done: no more mails about ${name}</h1>
<p>Your subscription goes on, and the positions stay visible on your <a href="/">home page</a>.</p>
<p>You can start them again under <a href="${webPaths.subscriptions}">Account &gt; Subscriptions</a>.</p>
<p class="quiet">One that is on its way may still arrive.</p>`,
  )
}

export function unknownPage(): string {
  return page(
    'This link leads nowhere',
    `<h1>This link leads nowhere</h1>
<p>It may have been cut in two by your mail program. Try to copy the whole link from the mail, or <a href="/">open ${BRAND}</a>.</p>`,
  )
}

function page(title: string, content: string): string {
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
<main>
<p class="brand">${MARK}<span><b>${BRAND_FIRST_WORD}</b>${BRAND_SECOND_WORD}</span></p>
<div class="card">
${content}
</div>
</main>
</body>
</html>
`
}

/** Usernames hold letters, digits, `_` and `-` by a rule of the database; what does not is not shown. */
function nameOf(trader: string | null): string {
  return trader && /^[\w-]+$/.test(trader) ? `@${trader}` : 'this trader'
}
