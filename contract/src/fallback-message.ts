/** Shown when an answer carries no message (docs/specification.md section 8). */
export const FALLBACK_MESSAGE = 'Something went wrong, please try again.'
