import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { buildSync } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'
import { replaceRemoveScroll, slimAuthClient, vaulStyles } from '../scripts/library-patches.ts'
import { slimClassMerge } from '../scripts/slim-class-merge.ts'

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
      // The server writes the page's settings in place of the word (rule G-84); it is no JavaScript.
      const settings = '<script type="application/json" id="settings">__SETTINGS__</script>'
      return html.replace('/*head-script*/', () => script).replace('<!--settings-->', settings)
    },
  }
}

/** Where `npm run dev` runs the API. */
const API_URL = process.env.API_URL ?? 'http://localhost:3000'
const CALLS = ['/auth', '/v1', '/mail', '/push']
const DOCUMENTS = [
  '^/t/',
  '/docs',
  '/openapi.json',
  '/status',
  '/terms',
  '/privacy',
  '/contact',
  '/verify',
  '/record',
  '/assets',
  '/service-worker.js',
]

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
  plugins: [
    react(),
    tailwind(),
    vaulStyles(),
    slimAuthClient(),
    slimClassMerge(join(root, 'src')),
    replaceRemoveScroll(join(root, 'src/ui/remove-scroll.tsx')),
    headScript(),
    settingsOfServer(),
  ],
  // The documents beside the app come from the server, with the files of the build that they load.
  server: { proxy: Object.fromEntries([...CALLS, ...DOCUMENTS].map((path) => [path, API_URL])) },
  // Otherwise the development server bundles vaul before the patch and the changes to it are lost.
  optimizeDeps: { exclude: ['vaul'] },
  build: {
    outDir: 'dist',
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // No library that we use does something by being read, or where a global is named.
      treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
      output: {
        // Each file is a request with a kilobyte of headers, and compresses by itself: what is always needed together is one
        // file (ADR 0096). A group contains the imports of its files that no group before it has.
        codeSplitting: {
          groups: [
            // The modules that every page begins with.
            { name: 'app', tags: ['$initial'] },
            // The first screen of somebody signed in with the live feed, which it begins once it is drawn; the others need most of it.
            // The build finds the screen by this name.
            { name: 'positions', test: /\/src\/(screens\/positions|app\/live\/start-live)\.tsx?$/ },
            // The modules of forms and windows.
            {
              name: 'form',
              test: /\/src\/(ui\/(alert|dialog|label|field-error|disabled-reason|input|notes|notes-field)|lib\/use-draft|errors|seen-text)\.tsx?$|\/useMutation\.js$/,
            },
            // Traders and the steps to becoming one: the first run has them in common with other screens.
            {
              name: 'people',
              test: /\/src\/(features\/(traders\/traders|payments\/payout-status)\.api|features\/traders\/trader-price|ui\/(card|sparkline)|lib\/way-back|money|price-parts)\.tsx?$|\/icons\/(check|circle)\.m?js$/,
            },
            // Small parts that the screens about traders, and about following them, have in common.
            {
              name: 'following',
              test: /\/src\/(features\/payments\/(payments\.api|following\.api|use-return|use-departure)|features\/traders\/(trader-standing|use-trader-name)|ui\/(risk-line|with-aside|next-page)|username)\.tsx?$|\/icons\/credit-card\.m?js$/,
            },
            // A position in its window, and what its form shares with that of a new one.
            { name: 'position', test: /\/src\/features\/positions\/position-dialog\.tsx$/ },
          ],
        },
      },
    },
  },
})
