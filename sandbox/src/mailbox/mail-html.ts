import { type Html, html } from '../html.ts'

/**
 * The rights of a mail's HTML in the frame that shows it: it is rendered and read. No scripts, no forms, no frames;
 * links that somebody clicks leave the frame.
 */
export const MAIL_POLICY = {
  'default-src': "'none'",
  'style-src': "'unsafe-inline'",
  'img-src': 'data: http: https:',
  'font-src': 'data:',
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'self'",
  sandbox: 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
}

const BASE = '<base target="_top">'

/**
 * Makes links without a target open in the whole window: most sites refuse to be shown inside a frame.
 * The element goes behind the doctype, which must stay first to keep the browser in its standard mode.
 */
export function openLinksOutside(markup: string): string {
  const start =
    /^\s*(<!--[\s\S]*?-->\s*|<!doctype[^>]*>\s*|<html(\s[^>]*)?>\s*|<head(\s[^>]*)?>\s*)*/i.exec(
      markup,
    )?.[0] ?? ''
  return start + BASE + markup.slice(start.length)
}

/** Plain text with its web addresses as links. */
export function linkedText(text: string): Html {
  // Splitting at a group keeps what matched: every second piece is an address.
  const pieces = text.split(/(https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]])/i)
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<a href="${piece}">${piece}</a>` : html`${piece}`))}`
}
