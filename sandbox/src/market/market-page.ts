import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import type { Exchange, Shown } from './exchange.ts'
import type { Change } from './listings.ts'
import type { Ticker } from './tickers.ts'

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact' })
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Every ticker with its price and what it did today, and the forms that move one. @param note what came of the last form */
export function marketPage(exchange: Exchange, now: Date, note: { done?: string; failed?: string }): Page {
  return {
    title: 'Market',
    crumbs: [{ href: '/', text: 'Sandbox' }],
    policy: { 'form-action': "'self'" },
    body: html`${noteOf(note)}<div class="bar">
<p class="quiet">Simulated prices in dollars at ${timeOf(now)}.</p>
<a class="tall" href="/market">Look again</a>
</div>
${movedSection(exchange.moved(now))}
<section aria-labelledby="move"><h2 id="move">Move a ticker</h2>
<datalist id="tickers">${exchange.listed().map(({ symbol }) => html`<option value="${symbol}"></option>`)}</datalist>
<ul class="parts">${haltForm()}${glitchForm()}${splitForm()}${renameForm()}${delistForm()}${listForm()}</ul></section>
<section aria-labelledby="prices"><h2 id="prices">Prices</h2>
<div class="card"><table>
<thead><tr><th scope="col">Symbol</th><th scope="col">Name</th><th scope="col" class="number">Price</th>
<th scope="col" class="number">Today</th></tr></thead>
<tbody>${exchange.listed().map((ticker) => row(ticker, exchange, now))}</tbody>
</table></div></section>`,
  }
}

function noteOf({ done, failed }: { done?: string; failed?: string }): Html | null {
  if (failed !== undefined) return html`<p class="refused" role="alert">${failed}</p>`
  return done === undefined ? null : html`<p class="done" role="status">${done}</p>`
}

function haltForm(): Html {
  return form(
    'halt',
    'Halt',
    'The last trade stays what it is, at its instant, until trading is resumed.',
    symbolField('halt'),
  )
}

function glitchForm(): Html {
  return form(
    'glitch',
    'Glitch',
    'A wrong price for a while, then the right one again.',
    html`${symbolField('glitch')}
<label>Wrong price in $<input name="price" type="number" min="0.0001" step="any" required></label>
<label>Seconds<input name="seconds" type="number" min="1" max="86400" value="60" required></label>
<label>High and low of the day<select name="range"><option value="outside">stay right</option><option
 value="inside">take it in</option></select></label>`,
  )
}

function splitForm(): Html {
  return form(
    'split',
    'Split',
    'From now on everything is told in new shares, the past too.',
    html`${symbolField('split')}
<label>New for old shares<input name="ratio" type="text" value="10:1" pattern="[1-9][0-9]{0,4}:[1-9][0-9]{0,4}"
 title="a ratio such as 10:1" autocomplete="off" required></label>`,
  )
}

function renameForm(): Html {
  return form(
    'rename',
    'Rename',
    'The same share under another symbol, its past too.',
    html`${symbolField('rename')}
${newSymbolField('rename', 'to')}`,
  )
}

function delistForm(): Html {
  return form(
    'delist',
    'Delist',
    'The share is in no list any more, and its symbol is unknown.',
    symbolField('delist'),
  )
}

function listForm(): Html {
  return form(
    'list',
    'List',
    'A new company under a symbol that is free, also one that another had.',
    html`${newSymbolField('list', 'symbol')}
<label>Name<input name="name" type="text" maxlength="100" autocomplete="off" required></label>
<label>Price in $<input name="price" type="number" min="0.0001" step="any" required></label>`,
  )
}

function newSymbolField(action: string, name: string): Html {
  return html`<label>New symbol<input name="${name}" type="text" maxlength="20" autocomplete="off"
 autocapitalize="characters" spellcheck="false" aria-describedby="${action}" required></label>`
}

function form(action: string, label: string, words: string, fields: Html): Html {
  return html`<li class="card"><form method="post" action="/market/${action}" aria-labelledby="${action}">
<h3 id="${action}">${label}</h3><p>${words}</p><div class="settings">${fields}<button>${label}</button></div></form></li>`
}

function symbolField(action: string): Html {
  return html`<label>Symbol<input name="symbol" type="text" list="tickers" maxlength="20" autocomplete="off"
 autocapitalize="characters" spellcheck="false" aria-describedby="${action}" required></label>`
}

function movedSection(moved: [symbol: string, shown: Shown][]): Html | null {
  if (moved.length === 0) return null
  return html`<section aria-labelledby="moved"><h2 id="moved">Moved by hand</h2>
<ul class="things card">${moved.map(([symbol, one]) => {
    const id = `moved-${symbol}`
    return html`<li class="row"><div><h3 id="${id}">${symbol}</h3><p>${wordsOf(one)}</p></div>
<div class="actions">${one.haltedAt ? button('resume', 'Resume', symbol, id) : null}
${button('free', 'Give back', symbol, id)}</div></li>`
  })}</ul></section>`
}

function button(action: string, label: string, symbol: string, about: string): Html {
  return html`<form method="post" action="/market/${action}"><input type="hidden" name="symbol" value="${symbol}"><button
 aria-describedby="${about}">${label}</button></form>`
}

function wordsOf({ changes, fixed, glitch, haltedAt, shares }: Shown): Html[] {
  const facts = [
    ...changes.map(wordsOfChange),
    fixed && html`fixed at ${fixed.price}`,
    haltedAt && html`halted since ${timeOf(haltedAt)}`,
    glitch && html`quoted at ${glitch.price} until ${timeOf(glitch.until)}`,
    shares !== 1 && html`split, ${Number(shares.toPrecision(6))} shares for one`,
  ].filter((fact) => fact !== null && fact !== false)
  return facts.map((fact, index) => html`${index === 0 ? null : ', '}${fact}`)
}

function wordsOfChange(change: Change): Html {
  if (change.kind === 'renamed') return html`renamed from ${change.from}`
  return html`${change.name} is ${change.kind === 'listed' ? 'new' : 'delisted'}`
}

/** In the zone of this machine, which is the reader's. */
function timeOf(instant: Date): Html {
  return html`<time datetime="${instant.toISOString()}">${TIME.format(instant)}</time>`
}

function row({ symbol, name }: Ticker, exchange: Exchange, now: Date): Html {
  const { c, dp } = exchange.quote(symbol, now)
  const today = dp ?? 0
  const sign = today > 0 ? '+' : today < 0 ? '−' : ''
  const tone = today > 0 ? 'up' : today < 0 ? 'down' : 'quiet'
  return html`<tr><th scope="row">${symbol}</th><td>${name}</td><td class="number">${price(c)}</td>
<td class="number ${tone}">${sign}${percent(Math.abs(today))}</td></tr>`
}

function price(dollars: number): string {
  return dollars.toFixed(dollars < 1 ? 4 : dollars < 1_000_000 ? 2 : 0)
}

/** A glitch makes so many of them that they need no decimals. */
function percent(size: number): string {
  return size < 1000 ? `${size.toFixed(2)}%` : `${COMPACT.format(size)}%`
}
