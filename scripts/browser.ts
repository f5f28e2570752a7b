/** Makes sure that the browser tests have a browser; one sentence and exit 1 when it cannot. */
import { ensureChromium } from './chromium.ts'

if (!ensureChromium()) {
  console.error(
    'The browser tests need Chromium: install the package "chromium", or set CHROMIUM_PATH to one.',
  )
  process.exit(1)
}
