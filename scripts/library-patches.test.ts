import { globSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { build, type Plugin } from 'vite'
import { expect, test } from 'vitest'
import {
  replaceRemoveScroll,
  slimAuthClient,
  takeVaulStyles,
  UNMET_AUTH_CONDITIONS,
  UNUSED_AUTH_METHODS,
  UNUSED_AUTH_MODULES,
  vaulStyles,
} from './library-patches.ts'

const web = join(import.meta.dirname, '../web')
const REMOVE_SCROLL = join(web, 'src/ui/remove-scroll.tsx')
const folderOf = (name: string) => dirname(findPackageJSON(name, join(web, 'package.json')) ?? '')
const vaul = readFileSync(join(folderOf('vaul'), 'dist/index.mjs'), 'utf8')
const authModules = join(folderOf('@supabase/auth-js'), 'dist/module')
const authClient = readFileSync(join(authModules, 'GoTrueClient.js'), 'utf8')

/** Builds a page's program as the web app is built, with one patch. @returns its JavaScript and its styles */
async function bundle(program: string, plugins: Plugin[]): Promise<{ js: string; css: string }> {
  const entry: Plugin = {
    name: 'entry',
    resolveId: (id) => (id === 'entry.tsx' ? join(web, 'src/entry.tsx') : null),
    load: (id) => (id === join(web, 'src/entry.tsx') ? program : null),
  }
  const result = await build({
    root: web,
    configFile: false,
    logLevel: 'silent',
    plugins: [entry, ...plugins],
    build: { write: false, minify: false, rolldownOptions: { input: 'entry.tsx' } },
  })
  if (!('output' in result)) throw new Error('nothing was built')
  const texts = result.output.map((file) => [
    file.fileName,
    file.type === 'chunk' ? file.code : `${file.source}`,
  ])
  const textOf = (ending: string) =>
    texts.flatMap(([name = '', text]) => (name.endsWith(ending) ? [text] : [])).join('\n')
  return { js: textOf('.js'), css: textOf('.css') }
}

/** A newer version of a library: one of its modules reads differently. */
function changeLibrary(file: string, from: string | RegExp, to: string): Plugin {
  return {
    name: 'change-library',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith(file)) return null
      const text = readFileSync(id, 'utf8')
      expect(text).toMatch(from)
      return text.replace(from, to)
    },
  }
}

const DRAWER = "import { Drawer } from 'vaul'; console.log(Drawer)"
const CLIENT = "import { AuthClient } from '@supabase/auth-js'; console.log(new AuthClient({}))"
const DIALOG = "import { Dialog } from 'radix-ui'; console.log(Dialog)"

test('the styles of vaul become a file, and its program inserts none', async () => {
  const { css, js } = await bundle(DRAWER, [vaulStyles()])
  expect(css).toContain('[data-vaul-drawer]{touch-action:none')
  expect(css).not.toContain('data-vaul-handle-hitarea]:{')
  expect(js).not.toContain('data-vaul-drawer]{')
  expect(js).not.toContain('__insertCSS("')
})

test.each([
  ['under another name', vaul.replaceAll('__insertCSS', 'insertStyles')],
  ['in another place', vaul.replace('\n__insertCSS("', '\n  __insertCSS("')],
  ['twice', `${vaul}\n__insertCSS("a{color:red}")\n`],
  ['once more from inside', `${vaul}\nif (document) __insertCSS(more)\n`],
  ['without the rule that is taken out', vaul.replace(/\[data-vaul-handle-hitarea\]:\{[^}]*\}/, '')],
])('a vaul that inserts its styles %s is refused', (_how, newer) => {
  expect(newer).not.toBe(vaul)
  expect(() => takeVaulStyles(newer)).toThrow(/^vaul .*library-patches/)
})

test('a refused vaul stops the build, and so does one that is not found', async () => {
  const newer = changeLibrary('/vaul/dist/index.mjs', /__insertCSS/g, 'insertStyles')
  await expect(bundle(DRAWER, [newer, vaulStyles()])).rejects.toThrow('vaul inserts its styles differently')
  await expect(bundle('console.log(1)', [vaulStyles()])).rejects.toThrow('vaul is not where it was')
})

test('the sign-in client is built without security keys and wallets', async () => {
  const whole = await bundle(CLIENT, [])
  const slim = await bundle(CLIENT, [slimAuthClient()])
  for (const part of ['identifyRegistrationError', 'wants you to sign in with your Ethereum account']) {
    expect(whole.js).toContain(part)
    expect(slim.js).not.toContain(part)
  }
})

test('a sign-in client that asks more of what is left out, or keeps it elsewhere, stops the build', async () => {
  const asking = changeLibrary('/GoTrueClient.js', '{ createSiweMessage,', '{ verifySiwe, createSiweMessage,')
  const using = changeLibrary('/base64url.js', /$/, "\nimport { scan } from './webauthn'; scan()\n")
  await expect(bundle(CLIENT, [asking, slimAuthClient()])).rejects.toThrow('verifySiwe')
  await expect(bundle(CLIENT, [using, slimAuthClient()])).rejects.toThrow('scan')
  await expect(bundle('console.log(1)', [slimAuthClient()])).rejects.toThrow(
    '@supabase/auth-js has no module lib/web3/ethereum',
  )
})

test('the sign-in client is built without the ways to sign in that the product does not offer', async () => {
  const methodsOf = ({ js }: { js: string }) =>
    new Set([...js.matchAll(/^\t*(?:async |get |set )?(\w+)\(.*\) \{$/gm)].map(([, name]) => name))
  const whole = methodsOf(await bundle(CLIENT, []))
  const slim = methodsOf(await bundle(CLIENT, [slimAuthClient()]))
  const cut = new Set(Object.values(UNUSED_AUTH_METHODS).flat())
  expect([...cut].filter((method) => !whole.has(method))).toEqual([])
  expect([...cut].filter((method) => slim.has(method))).toEqual([])
  for (const method of [
    'signInWithOtp',
    'verifyOtp',
    'refreshSession',
    'signOut',
    'reauthenticate',
    '_enroll',
  ])
    expect(slim).toContain(method)
})

test('the sign-in client is built without its notes for debugging, and stops the build once it notes otherwise', async () => {
  const notes = /\bthis\._debug\(/g
  const { js } = await bundle(CLIENT, [slimAuthClient()])
  expect(authClient.match(notes)?.length).toBeGreaterThan(60)
  // One is no statement: it is what a function answers.
  expect(js.match(notes)?.length).toBe(1)
  const silent: Plugin = {
    name: 'silent',
    enforce: 'pre',
    transform: (code, id) => (id.endsWith('/GoTrueClient.js') ? code.replaceAll('._debug(', '._say(') : null),
  }
  await expect(bundle(CLIENT, [silent, slimAuthClient()])).rejects.toThrow('notes nothing by _debug')
})

test('a sign-in client that lacks one of those methods, or uses one, stops the build', async () => {
  const lacking = changeLibrary('/GoTrueClient.js', /async signUp\(/, 'async sendAgain(')
  const using = changeLibrary('/GoTrueClient.js', /async signOut\([^)]*\) \{/, '$& await this.getClaims();')
  await expect(bundle(CLIENT, [lacking, slimAuthClient()])).rejects.toThrow('has no method signUp')
  await expect(bundle(CLIENT, [using, slimAuthClient()])).rejects.toThrow('uses this.getClaims')
})

test('the sign-in client is built without what it does for settings that the product does not make', async () => {
  const { js } = await bundle(CLIENT, [slimAuthClient()])
  for (const gone of [
    'this.lock(',
    '_acquireLock(',
    'this.userStorage,',
    'settings.storage;',
    '.isServer &&',
  ])
    expect([authClient.includes(gone), js.includes(gone)], gone).toEqual([true, false])
  // The other branch stays: sessions are kept whole, in the browser's storage.
  for (const kept of ['deepClone(sessionToProcess)', 'globalThis.localStorage', 'await this._useSession('])
    expect(js).toContain(kept)
  const lacking = changeLibrary('/GoTrueClient.js', /if \(settings\.lock != null\)/, 'if (settings.lock)')
  await expect(bundle(CLIENT, [lacking, slimAuthClient()])).rejects.toThrow(
    'has no test settings.lock != null',
  )
})

test('the product sets none of what those conditions ask for, and makes one client', () => {
  const made = globSync('src/**/*.{ts,tsx}', { cwd: web }).flatMap((file) => [
    ...readFileSync(join(web, file), 'utf8').matchAll(/new AuthClient\(\{(.*?)\n\}\)/gs),
  ])
  const settings = made.map(([, options = '']) =>
    [...options.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name),
  )
  expect(settings).toEqual([
    ['url', 'storageKey', 'flowType', 'detectSessionInUrl', 'autoRefreshToken', 'persistSession', 'fetch'],
  ])
  expect(Object.values(UNMET_AUTH_CONDITIONS).flat().join(' ')).not.toMatch(
    new RegExp(`\\b(?:${settings.flat().join('|')})\\b`),
  )
})

test('a private method of the sign-in client goes with the last thing that used it, and no other does', async () => {
  const { js } = await bundle(CLIENT, [slimAuthClient()])
  for (const gone of [
    '_listPasskeys',
    '_regenerateRecoveryCodes',
    '_createOAuthClient',
    '_handleProviderSignIn',
  ])
    expect(js).not.toContain(gone)
  for (const kept of ['_listFactors(', '_challengeAndVerify(', '_recoverAndRefresh('])
    expect(js).toContain(kept)
  const used = changeLibrary(
    '/GoTrueClient.js',
    /async signOut\([^)]*\) \{/,
    '$& await this._listPasskeys();',
  )
  expect((await bundle(CLIENT, [used, slimAuthClient()])).js).toContain('async _listPasskeys(')
  const lacking = changeLibrary('/GoTrueClient.js', 'this.oauth = {', 'this.grants = {')
  await expect(bundle(CLIENT, [lacking, slimAuthClient()])).rejects.toThrow('has no field oauth')
})

test('the product calls none of the methods that are left out', () => {
  const calls = new RegExp(
    `authClient\\s*\\.(admin|oauth|passkey|mfa\\.recoveryCodes|${Object.values(UNUSED_AUTH_METHODS).flat().join('|')})\\b`,
  )
  const callers = globSync('src/**/*.{ts,tsx}', { cwd: web }).filter((file) =>
    calls.test(readFileSync(join(web, file), 'utf8')),
  )
  expect(callers).toEqual([])
})

/** The stand-ins for the two modules do nothing, so these methods must stay unused: each with the parts that it uses of them. */
test('what is left out of the sign-in client is used by methods that the product does not call', () => {
  const names = new Set(Object.values(UNUSED_AUTH_MODULES).flat())
  const source = ts.createSourceFile('GoTrueClient.js', authClient, ts.ScriptTarget.Latest, true)
  const uses = new Map<string, string[]>()
  const visit = (node: ts.Node, method: string): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isIdentifier(node) && names.has(node.text))
      uses.set(method, [...(uses.get(method) ?? []), node.text])
    const inside =
      ts.isConstructorDeclaration(node) || ts.isMethodDeclaration(node)
        ? (node.name?.getText(source) ?? 'constructor')
        : method
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  visit(source, '')
  expect(Object.fromEntries(uses)).toEqual({
    // Makes the object that offers security keys, and asks nothing of it.
    constructor: ['WebAuthnApi'],
    signInWithEthereum: ['getAddress', 'fromHex', 'createSiweMessage', 'toHex'],
    // Only for a factor of the type webauthn; ours are totp.
    _verify: ['serializeCredentialCreationResponse', 'serializeCredentialRequestResponse'],
    _challenge: ['deserializeCredentialCreationOptions', 'deserializeCredentialRequestOptions'],
    signInWithPasskey: [
      'browserSupportsWebAuthn',
      'deserializeCredentialRequestOptions',
      'webAuthnAbortService',
      'getCredential',
      'serializeCredentialRequestResponse',
    ],
    registerPasskey: [
      'browserSupportsWebAuthn',
      'deserializeCredentialCreationOptions',
      'webAuthnAbortService',
      'createCredential',
      'serializeCredentialCreationResponse',
    ],
  })
  const callers = globSync('src/**/*.{ts,tsx}', { cwd: web }).filter((file) =>
    /webauthn|passkey|signInWithWeb3|signInWithEthereum/i.test(readFileSync(join(web, file), 'utf8')),
  )
  expect(callers).toEqual([])
})

test('the dialogs are built with our own hold on the page, which writes no style elements', async () => {
  const { js } = await bundle(DIALOG, [replaceRemoveScroll(REMOVE_SCROLL)])
  expect(js).toContain('src/ui/remove-scroll.tsx')
  expect(js).not.toContain('react-remove-scroll')
  expect(js).not.toContain('createElement("style")')
})

test('a dialog that no longer uses react-remove-scroll, or asks more of it, stops the build', async () => {
  const more = changeLibrary(
    '/react-dialog/dist/index.mjs',
    'import { RemoveScroll } from',
    'import { RemoveScroll, RemoveScrollBar } from',
  )
  const using = {
    ...more,
    transform: (code: string, id: string) =>
      id.endsWith('/react-dialog/dist/index.mjs') ? `${code}\nconsole.log(RemoveScrollBar)` : null,
  }
  await expect(bundle(DIALOG, [using, replaceRemoveScroll(REMOVE_SCROLL)])).rejects.toThrow('RemoveScrollBar')
  await expect(bundle('console.log(1)', [replaceRemoveScroll(REMOVE_SCROLL)])).rejects.toThrow(
    'does not use react-remove-scroll',
  )
})
