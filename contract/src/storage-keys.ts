/*
 * Keys of the browser's storage, in a file without schemas: the script that runs before a page's first paint
 * knows them, and a schema library would be twenty times its size.
 */
export const AUTH_STORAGE_KEY = 'tradepost-auth'
/** Fixed (docs/specification.md section 1). */
export const THEME_STORAGE_KEY = 'tradepost-theme'
/** In the storage of a tab: texts that a person has typed and not sent. */
export const DRAFTS_STORAGE_KEY = 'tradepost-drafts'
/** Whether this browser was used before, and in a tab what was known of that when it began. */
export const VISITS_STORAGE_KEY = 'tradepost-visits'
/** The data that the person who is signed in saw last, for a start without a network. */
export const SEEN_STORAGE_KEY = 'tradepost-seen'
