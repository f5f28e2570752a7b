import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import type { Exchange } from './exchange.ts'
import { TICKERS, type Ticker } from './tickers.ts'

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Every ticker with its price and what it did today. */
export function marketPage(exchange: Exchange, now: Date): Page {
  return {
    title: 'Market',
    crumbs: [{ href: '/', text: 'Sandbox' }],
    body: html`<div class="bar">
<p class="quiet">Simulated prices in dollars at <time datetime="${now.toISOString()}">${TIME.format(now)}</time>.</p>
<a class="tall" href="/market">Look again</a>
</div>
<div class="card"><table>
<thead><tr><th scope="col">Symbol</th><th scope="col">Name</th><th scope="col" class="number">Price</th>
<th scope="col" class="number">Today</th></tr></thead>
<tbody>${TICKERS.map((ticker) => row(ticker, exchange, now))}</tbody>
</table></div>`,
  }
}

function row({ symbol, name }: Ticker, exchange: Exchange, now: Date): Html {
  const { c, dp } = exchange.quote(symbol, now)
  const today = dp ?? 0
  const sign = today > 0 ? '+' : today < 0 ? '−' : ''
  const tone = today > 0 ? 'up' : today < 0 ? 'down' : 'quiet'
  return html`<tr><th scope="row">${symbol}</th><td>${name}</td><td class="number">${c.toFixed(c < 1 ? 4 : 2)}</td>
<td class="number ${tone}">${sign}${Math.abs(today).toFixed(2)}%</td></tr>`
}
