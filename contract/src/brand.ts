/** The two words of the wordmark: a bold first, a light second (docs/specification.md section 1). */
export const BRAND_FIRST_WORD = 'Trade'
export const BRAND_SECOND_WORD = 'post'
export const BRAND = `${BRAND_FIRST_WORD}${BRAND_SECOND_WORD}`
