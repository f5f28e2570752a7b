import { type PageSettings, pageSettings, SETTINGS_ELEMENT_ID } from '@tradepost/contract/settings'

/** The settings where no server filled the page in (the development server): real hours, no sandbox. */
const DEFAULTS: PageSettings = {
  marketOverride: null,
  platformFeePercent: 10,
  subscription: { priceCents: 1000, currency: 'usd' },
  sandbox: null,
}

/**
 * Reads the settings that the server wrote into the page (rule G-84).
 * @returns the defaults when the element is missing, still holds its placeholder, or holds anything unexpected
 */
export function readSettings(page: Document): PageSettings {
  const text = page.getElementById(SETTINGS_ELEMENT_ID)?.textContent ?? ''
  try {
    return pageSettings.parse(JSON.parse(text))
  } catch {
    return DEFAULTS
  }
}

/** The settings of this page, read once. */
export const settings = readSettings(document)
