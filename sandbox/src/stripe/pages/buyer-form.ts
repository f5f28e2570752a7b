import { type Html, html } from '../../html.ts'
import type { Amiss, BuyerForm, BuyerQuestions } from '../checkout/read-buyer.ts'
import { COUNTRIES, countryName } from '../tax/location.ts'

/** The part of the payment page that asks who buys. Without scripts each field is there for every country, and says when it counts. */
export function buyerFields(asks: BuyerQuestions, values: BuyerForm, amiss: Amiss | null): Html | null {
  if (!asks.address && !asks.number) return null
  const wrong = (name: keyof BuyerForm) =>
    amiss?.field === name ? html` aria-invalid="true" aria-describedby="refusal"` : null
  return html`${asks.address ? addressFields(asks, values, wrong) : null}${
    asks.number ? businessFields(asks, values, wrong) : null
  }`
}

type Mark = (name: keyof BuyerForm) => Html | null

function addressFields({ saved }: BuyerQuestions, values: BuyerForm, wrong: Mark): Html {
  return html`<fieldset class="fields"><legend>Billing address</legend>
${countryField(values.country ?? saved?.country ?? '', wrong('country'))}
<div class="pair">
<label>US state<input name="state" autocomplete="off" maxlength="20" placeholder="NY" value="${
    values.state ?? saved?.state ?? ''
  }"${wrong('state')}></label>
<label>Postal code<input name="postal_code" autocomplete="off" maxlength="20" value="${
    values.postal_code ?? saved?.postal_code ?? ''
  }"${wrong('postal_code')}></label>
</div></fieldset>`
}

function businessFields({ name }: BuyerQuestions, values: BuyerForm, wrong: Mark): Html {
  const isOpen = (values.tax_id ?? '') !== '' || (values.business_name ?? '') !== ''
  return html`<details class="business"${isOpen ? html` open` : null}><summary>I’m buying as a business</summary>
<div class="fields">${
    name
      ? html`<label>Name of the business<input name="business_name" autocomplete="off" maxlength="150" value="${
          values.business_name ?? ''
        }"></label>`
      : null
  }
<label>Tax number<input name="tax_id" autocomplete="off" maxlength="20" placeholder="DE123456789" value="${
    values.tax_id ?? ''
  }"${wrong('tax_id')}></label></div></details>`
}

/** @param chosen the code of a country, or nothing */
export function countryField(chosen: string, mark: Html | null = null): Html {
  return html`<label>Country<select name="country" autocomplete="off" required${mark}>
<option value="">Choose a country</option>${COUNTRIES.map(
    (code) =>
      html`<option value="${code}"${code === chosen ? html` selected` : null}>${countryName(code)}</option>`,
  )}</select></label>`
}
