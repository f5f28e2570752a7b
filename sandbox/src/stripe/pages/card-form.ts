import { type Html, html } from '../../html.ts'

/** The values that stay in the fields when a card was refused; the code on its back never does. */
export type CardValues = { number: string; expiry: string }

/** Card fields. Filling in by the browser is off: nobody should offer a real card here. */
export function cardFields(values: CardValues, refusal: string | null): Html {
  const wrong = refusal === null ? null : html`aria-invalid="true" aria-describedby="refusal"`
  return html`<div class="fields">
<label>Card number<input name="number" inputmode="numeric" autocomplete="off" maxlength="30" required placeholder="4242 4242 4242 4242" value="${values.number}" ${wrong}></label>
<div class="pair">
<label>Expiry<input name="expiry" inputmode="numeric" autocomplete="off" maxlength="9" required placeholder="12 / 34" value="${values.expiry}"></label>
<label>CVC<input name="cvc" inputmode="numeric" autocomplete="off" maxlength="4" required placeholder="123"></label>
</div></div>`
}

export function refusalNote(refusal: string | null): Html | null {
  return refusal === null ? null : html`<p class="refused" role="alert" id="refusal">${refusal}</p>`
}

const CARDS: [string, string][] = [
  ['4242 4242 4242 4242', 'succeeds'],
  ['5555 5555 5555 4444', 'succeeds, Mastercard'],
  ['4000 0000 0000 0002', 'is declined'],
  ['4000 0000 0000 9995', 'has insufficient funds'],
  ['4000 0000 0000 0069', 'has expired'],
  ['4000 0000 0000 0127', 'has a wrong CVC'],
  ['4000 0000 0000 0119', 'meets a processing error'],
  ['4000 0000 0000 0341', 'can be saved, and is declined when charged'],
  ['4000 0025 0000 3155', 'asks for 3-D Secure the first time'],
  ['4000 0027 6000 3184', 'asks for 3-D Secure every time'],
  ['4000 0000 0000 0259', 'is disputed after the payment'],
  ['4000 0000 0000 5423', 'is warned of as fraud after the payment'],
  ['4000 0000 0000 5126', 'lets refunds fail'],
]

/** The test cards and what each is for. */
export function cardList(): Html {
  return html`<details class="card"><summary>Test cards</summary>
<ul class="cards">${CARDS.map(([number, words]) => html`<li><code>${number}</code> ${words}</li>`)}</ul>
<p class="quiet">Any future expiry and any three digits do. No other number is taken.</p></details>`
}

/** The bank's question: a page with two answers. */
export function challengeBody(token: Html, action: string, words: string): Html {
  return html`<div class="narrow card panel">
<p>${words}</p>
<p class="quiet">With a real card the bank would ask for a code or a fingerprint now.</p>
<form method="post" action="${action}">${token}
<div class="actions">
<button class="main" name="answer" value="approve">Approve</button>
<button name="answer" value="fail">Fail</button>
</div></form></div>`
}

export const NOT_AUTHENTICATED =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'
