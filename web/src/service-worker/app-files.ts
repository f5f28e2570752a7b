import type { AppFiles } from '@tradepost/contract/offline-start'

declare const APP_FILES: AppFiles

/** The build of the app that this worker belongs to; scripts/build-web.ts writes it in place of the word. */
export const app = APP_FILES
