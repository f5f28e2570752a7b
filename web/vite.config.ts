import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { buildSync } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'

const root = import.meta.dirname

/** Compiles document/head.ts into the document: it must run before the first paint, so it cannot be a module. */
function headScript(): Plugin {
  return {
    name: 'head-script',
    transformIndexHtml(html) {
      const built = buildSync({
        entryPoints: [join(root, 'src/document/head.ts')],
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        target: 'es2022',
        // The contract's schemas are no part of it; only its constants are used.
        treeShaking: true,
      })
      const script = built.outputFiles[0]?.text.trim() ?? ''
      // The server writes the page's settings in place of the word (decision G-84); it is no JavaScript.
      const settings = '<script type="application/json" id="settings">__SETTINGS__</script>'
      return html.replace('/*head-script*/', () => script).replace('<!--settings-->', settings)
    },
  }
}

const VAUL_STYLES = 'virtual:vaul.css'

/**
 * vaul writes its style sheet into the page when imported, which `style-src 'self'` refuses: the same sheet becomes a
 * file of the build.
 */
function vaulStyles(): Plugin {
  let css = ''
  return {
    name: 'vaul-styles',
    enforce: 'pre',
    resolveId: (id) => (id === VAUL_STYLES ? `\0${VAUL_STYLES}` : null),
    load: (id) => (id === `\0${VAUL_STYLES}` ? css : null),
    transform(code, id) {
      if (!id.includes('/vaul/dist/')) return null
      const call = /^__insertCSS\((".*")\);?$/m.exec(code)
      if (!call?.[1]) throw new Error('vaul no longer inserts its styles as it did; look at vaulStyles again')
      // One of its rules has an empty pseudo-class: browsers skip it, the minifier stops there.
      css = (JSON.parse(call[1]) as string).replace(/\[data-vaul-handle-hitarea\]:\{[^}]*\}/, '')
      return code.replace(call[0], `import ${JSON.stringify(VAUL_STYLES)};`)
    },
  }
}

/** Rooms of the sign-in library that the product has no door to, and what their importers ask of them. */
const UNUSED_AUTH_MODULES: Record<string, string> = {
  'lib/web3/ethereum': 'export const createSiweMessage = 0, fromHex = 0, getAddress = 0, toHex = 0',
  'lib/webauthn': `export class WebAuthnApi {}
    export const createCredential = 0, deserializeCredentialCreationOptions = 0,
      deserializeCredentialRequestOptions = 0, getCredential = 0, serializeCredentialCreationResponse = 0,
      serializeCredentialRequestResponse = 0, browserSupportsWebAuthn = 0, webAuthnAbortService = 0`,
}

/**
 * Leaves out security keys and crypto wallets: methods of one class, so no bundler can drop them automatically. A
 * name that a newer version adds fails the build.
 */
function slimAuthClient(): Plugin {
  return {
    name: 'slim-auth-client',
    enforce: 'pre',
    load(id) {
      const name = /@supabase\/auth-js\/dist\/module\/(.+)\.js$/.exec(id)?.[1]
      return name === undefined ? null : (UNUSED_AUTH_MODULES[name] ?? null)
    },
  }
}

/** Where `npm run dev` runs the API. */
const API_URL = process.env.API_URL ?? 'http://localhost:3000'

/** In development Vite serves the document: the page's settings are asked of the server that otherwise writes them. */
function settingsOfServer(): Plugin {
  return {
    name: 'settings-of-server',
    apply: 'serve',
    transformIndexHtml: {
      order: 'post',
      async handler(html) {
        const served = await fetch(API_URL).then((answer) => answer.text())
        const settings = /id="settings">(.*?)<\/script>/s.exec(served)?.[1] ?? '__SETTINGS__'
        return html.replace('__SETTINGS__', () => settings)
      },
    },
  }
}

export default defineConfig({
  root,
  plugins: [react(), tailwind(), vaulStyles(), slimAuthClient(), headScript(), settingsOfServer()],
  server: { proxy: Object.fromEntries(['/auth', '/v1', '/mail'].map((path) => [path, API_URL])) },
  resolve: {
    alias: { 'react-remove-scroll': join(root, 'src/ui/remove-scroll.tsx') },
  },
  // Otherwise the development server bundles vaul beforehand and the two changes above are lost.
  optimizeDeps: { exclude: ['vaul'] },
  build: {
    outDir: 'dist',
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What every page begins with in one file, and what the first page shares with others in a second: left to
        // itself the bundler makes a dozen, which compress worse.
        codeSplitting: {
          groups: [
            { name: 'app', tags: ['$initial'] },
            {
              name: 'list',
              test: /\/src\/(ui\/(table|tabs|empty-state|refresh-failure)|lib\/format|.*\/positions\.api)\.tsx?$/,
            },
          ],
        },
      },
    },
  },
})
